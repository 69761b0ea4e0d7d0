"""One driver for each adapter."""

from drivers.claude_agent_sdk_driver import ClaudeAgentSDK
from drivers.claude_code_driver import ClaudeCode
from drivers.langchain_driver import LangChain
from drivers.mcp_proxy_driver import McpProxyDriver
from drivers.openai_agents_driver import OpenAIAgents
from drivers.pydantic_ai_driver import PydanticAI
from drivers.python_driver import PlainPython

DRIVERS = [McpProxyDriver(), ClaudeCode(), LangChain(), OpenAIAgents(), PydanticAI(), ClaudeAgentSDK(), PlainPython()]
