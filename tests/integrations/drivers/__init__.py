"""One driver for each adapter."""

from drivers.langchain_driver import LangChain

DRIVERS = [LangChain()]
