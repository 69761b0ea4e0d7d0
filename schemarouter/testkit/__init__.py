"""Tests of policies: files of cases and scripted runs, coverage of rules, mutants, and scripted parts for your own tests."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter.testkit.run import TestReport as TestReport
    from schemarouter.testkit.run import run_tests as run_tests
    from schemarouter.testkit.scripted import ScriptedApprovals as ScriptedApprovals
    from schemarouter.testkit.scripted import ScriptedClock as ScriptedClock
    from schemarouter.testkit.scripted import ScriptedHook as ScriptedHook
    from schemarouter.testkit.scripted import ScriptedInvoker as ScriptedInvoker
    from schemarouter.testkit.scripted import ScriptError as ScriptError

#: Public name -> module that defines it; imported when it is used, as in the package itself.
_HOME = {
    "TestReport": "schemarouter.testkit.run",
    "run_tests": "schemarouter.testkit.run",
    **dict.fromkeys(
        ("ScriptError", "ScriptedApprovals", "ScriptedClock", "ScriptedHook", "ScriptedInvoker"),
        "schemarouter.testkit.scripted",
    ),
}

__all__ = [
    "ScriptError",
    "ScriptedApprovals",
    "ScriptedClock",
    "ScriptedHook",
    "ScriptedInvoker",
    "TestReport",
    "run_tests",
]


def __getattr__(name: str) -> object:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(module), name)
    globals()[name] = value
    return value
