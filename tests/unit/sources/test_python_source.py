"""Python modules as sources: which functions are tools, and that a call is one call however it is spelled."""

from __future__ import annotations

import asyncio
import datetime
import functools
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemarouter import (
    ExecutionPolicy,
    PolicyRule,
    PolicyViolationError,
    SchemaRouter,
    SchemaValidationError,
    ToolCall,
    load_policy,
)
from schemarouter.sources.problem import SourceError
from schemarouter.sources.python import add_module, arguments_of, callables_of_module, tool, tools_of_module


def module(text: str, name: str = "shop") -> ModuleType:
    made = ModuleType(name)
    exec(compile(text, name, "exec", dont_inherit=True), vars(made))
    return made


MARKED = module(
    '''
from schemarouter.sources.python import tool
from os.path import join

__all__ = ["open_helper", "refund"]

@tool(read_only=True, destructive=False)
def price(item: str) -> float:
    """What it costs."""
    return 2.5

@tool(name="give_back", namespace="corp")
async def refund(order: int, amount: float = 1.0) -> dict[str, float]:
    return {"amount": amount}

alias = price

def open_helper(path: str) -> str:
    return path
'''
)


def test_marked_functions_are_the_tools_and_no_others() -> None:
    first, second = tools_of_module(MARKED, namespace="shop")
    assert (first.key, first.remote, first.source_type) == ("shop.price", False, "python")
    assert (first.endpoint("call").read_only, first.endpoint("call").destructive) == (True, False)
    assert (second.key, second.endpoint("call").read_only) == ("corp.give_back", None)


def test_the_catalog_is_what_add_callable_registers() -> None:
    router = SchemaRouter()
    router.add_callable(MARKED.price, namespace="shop")
    assert router.registry.get("shop.price") == tools_of_module(MARKED, namespace="shop")[0]
    assert router.registry.get("shop.price").endpoint("call").read_only is True


def test_without_marks_all_names_the_tools() -> None:
    made = module("__all__ = ['a', 'K', 'N', 'a']\nN = 3\nclass K: ...\ndef a(x: int): ...\ndef b(x: int): ...\n")
    assert [each.key for each in tools_of_module(made)] == ["a"]


def test_a_mark_that_was_only_imported_does_not_count() -> None:
    made = module("__all__ = ['own']\ndef own(x: int): ...\n", name="importer")
    made.price = MARKED.price  # type: ignore[attr-defined]
    assert [each.key for each in tools_of_module(made)] == ["own"]
    made.__all__ = ["own", "price"]  # type: ignore[attr-defined]
    assert [each.key for each in tools_of_module(made)] == ["price"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def a(): ...", "does not say which of its functions are tools"),
        ("__all__ = 'a'\ndef a(): ...", "does not say which of its functions are tools"),
        ("__all__ = [1]\ndef a(): ...", "does not say which of its functions are tools"),
        ("__all__ = []", "names no function"),
        ("__all__ = ['N']\nN = 1", "names no function"),
        ("__all__ = ['gone']", "`__all__` names `gone`, which is not there"),
        ("__all__ = ['a']\ndef a(*x): ...", "shop.a: `a` takes `*x`"),
        ("__all__ = ['a']\ndef a(x: 'Unknown'): ...", "shop.a: the signature of `a` cannot be read"),
        ("__all__ = ['a']\ndef a():\n    yield", "shop.a: the generator function `a` cannot be a tool"),
        (
            "from schemarouter.sources.python import tool\n@tool(name='x')\ndef a(): ...\n@tool(name='x')\ndef b(): ...",
            "shop.b: two functions have the key `x`: this one and `a`",
        ),
    ],
)
def test_modules_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        tools_of_module(module(text))
    assert message in str(caught.value)


def test_what_is_no_module_is_refused() -> None:
    with pytest.raises(SourceError, match="expected an imported module, not a `str`"):
        tools_of_module("shop")  # type: ignore[arg-type]


def test_a_module_is_added_whole_or_not_at_all() -> None:
    router = SchemaRouter()
    router.add_callable(MARKED.refund, name="give_back", namespace="corp")
    with pytest.raises(ValueError, match="already registered"):
        add_module(router, MARKED)
    assert router.registry.keys() == router.executor.bound_keys() == ["corp.give_back"]
    other = SchemaRouter(policy=ExecutionPolicy(rules=[PolicyRule(effect="allow", operation="corp.*")]))
    assert add_module(other, MARKED) == ["price", "corp.give_back"]
    plan = other.plan("corp.give_back.call")
    plan.calls[0].arguments = {"order": 1}
    plan.calls[0].missing_required_arguments = []
    plan.calls[0].fields = []
    assert asyncio.run(other.execute(plan))[0].data == {"amount": 1.0}


# Positional and keyword calls are the same call


def pay(amount: float, /, to: str, *, note: str = "", day: datetime.date | None = None) -> None: ...


def test_every_spelling_of_a_call_gives_the_same_arguments() -> None:
    expected = {"amount": 5.0, "to": "a", "note": "", "day": None}
    for spelled in (
        arguments_of(pay, 5.0, "a"),
        arguments_of(pay, 5.0, to="a"),
        arguments_of(pay, 5.0, to="a", note="", day=None),
        arguments_of(functools.partial(pay, 5.0), "a"),
    ):
        assert {"amount": 5.0} | spelled == expected
    assert arguments_of(pay, 1.0, "a", day=datetime.date(2026, 1, 2))["day"] == "2026-01-02"


@given(st.integers(), st.text(), st.booleans(), st.integers(min_value=0, max_value=3))
def test_positional_and_keyword_calls_are_the_same_call(a: int, b: str, c: bool, by_position: int) -> None:
    def function(a: int, b: str, c: bool = False) -> None: ...

    values: dict[str, Any] = {"a": a, "b": b, "c": c}
    names = list(values)
    positional = [values[name] for name in names[:by_position]]
    keyword = {name: values[name] for name in names[by_position:]}
    try:
        b.encode()
    except UnicodeEncodeError:
        return  # no JSON; refused elsewhere
    assert arguments_of(function, *positional, **keyword) == values


def test_a_rule_about_an_argument_holds_for_every_spelling() -> None:
    policy = load_policy(
        "version: 1\nrules:\n  - {name: small, operation: pay.call, effect: allow, when: {arguments: {amount: {type: number, maximum: 10}}}}\n"
        "  - {name: rest, operation: '*', effect: deny}\n"
    )
    router = SchemaRouter(policy=policy)
    paid: list[float] = []

    def pay(to: str, amount: float = 1000) -> None:
        paid.append(amount)

    router.add_callable(pay)
    contract = router.registry.get("pay")

    def run(*args: Any, **kwargs: Any) -> None:
        call = ToolCall(
            tool="pay",
            endpoint="call",
            arguments=arguments_of(pay, *args, **kwargs),
            schema_fingerprint=contract.endpoint("call").fingerprint,
        )
        asyncio.run(router.executor.execute_call(call))

    for args, kwargs in ((("a", 11), {}), (("a",), {"amount": 11}), ((), {"to": "a", "amount": 11}), (("a",), {})):
        with pytest.raises(PolicyViolationError):
            run(*args, **kwargs)
    run("a", 10)
    run(to="a", amount=9)
    assert paid == [10, 9]


def test_a_default_that_its_annotation_does_not_take_stays_out() -> None:
    def function(a: int, b: str = None, c: Any = object()) -> None: ...  # type: ignore[assignment]  # noqa: B008, RUF013

    assert arguments_of(function, 1) == {"a": 1}
    assert arguments_of(function, 1, "x") == {"a": 1, "b": "x"}


def test_refusals_tell_names_and_never_values() -> None:
    def function(a: int, b: Any = 0) -> None: ...

    for error, args, kwargs in (
        (TypeError, (), {}),
        (TypeError, (1, 2, 3), {}),
        (TypeError, (1,), {"c": "s3cret"}),
        (SchemaValidationError, ("s3cret",), {}),
        (SchemaValidationError, (1, object()), {}),
    ):
        with pytest.raises(error) as caught:
            arguments_of(function, *args, **kwargs)
        assert "`function`" in str(caught.value)
        assert "s3cret" not in repr(caught.value)
        assert caught.value.__cause__ is None


def test_a_mark_leaves_a_function_as_it_is() -> None:
    @tool(read_only=True)
    def double(x: int) -> int:
        return 2 * x

    assert double(2) == 4
    made = module("")
    made.__dict__["double"] = double
    double.__module__ = "shop"
    assert callables_of_module(made)[0].invoker("call", {"x": 4}) == 8
