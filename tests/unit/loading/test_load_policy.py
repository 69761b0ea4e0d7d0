"""``load_policy``: all or nothing, with every finding, and never a name without a callable."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from schemarouter import ArtifactError, LoadedPolicy, PolicyError, load_policy
from schemarouter.compiler.artifact import dump_artifact
from schemarouter.compiler.compile import compile_policy
from schemarouter.document.v1 import Hooks, PolicyDocument
from schemarouter.named_callables import resolve_callables

TEXT = """\
version: 1
name: pay
approval: {mode: all, callback: ops}
rules:
  - name: jobs
    operation: jobs.create
    effect: allow
    reason: may be repeated
    examples: {decides: [jobs.create], ignores: [jobs.delete]}
hooks: {before_call: [audit], after_call: [audit, metrics]}
"""
PLAIN = "version: 1\nrules:\n  - {name: jobs, operation: jobs.create, effect: allow}\n"
TOML = 'version = 1\n[[rules]]\nname = "jobs"\noperation = "jobs.create"\neffect = "allow"\n'


def audit(*_: object) -> None: ...


def metrics(*_: object) -> None: ...


def ops(*_: object) -> bool:
    return True


NAMED: dict[str, Any] = {"hooks": {"audit": audit, "metrics": metrics}, "callbacks": {"ops": ops}}


def refused(source: Any, **options: Any) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        load_policy(source, **options)
    error = caught.value
    assert "\n" not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__
    return error


def test_graph_and_callables() -> None:
    loaded = load_policy(TEXT, **NAMED)
    assert isinstance(loaded, LoadedPolicy)
    assert loaded.graph.named_callables == ("ops", "audit", "metrics")
    assert loaded.callables == {"ops": ops, "audit": audit, "metrics": metrics}
    assert isinstance(loaded.callables, MappingProxyType)


@pytest.mark.parametrize(
    ("name", "content"), [("p.yaml", PLAIN), ("p.yml", PLAIN), ("p.toml", TOML), ("p", TOML), ("policy", PLAIN)]
)
def test_files_by_path_and_by_text(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    by_path, by_str, by_text = load_policy(path), load_policy(str(path)), load_policy(content)
    assert by_path.graph == by_str.graph == by_text.graph == load_policy(PLAIN).graph
    assert by_path.callables == {}
    places = [loaded.graph.rules[0].location for loaded in (by_path, by_text)]
    assert [place and place.path for place in places] == [str(path), "<text>"]


@pytest.mark.parametrize(
    "text", ["version: 1", "version = 1", "{version: 1}", '{"version": 1}', "  version : 1", "version: 1\n"]
)
def test_what_is_text(text: str) -> None:
    assert load_policy(text).graph.rules == ()


def test_an_artifact_by_path_and_by_text(tmp_path: Path) -> None:
    graph = load_policy(TEXT, **NAMED).graph
    data = dump_artifact(graph)
    for name in ("p.graph.json", "artifact.bin"):
        (tmp_path / name).write_bytes(data)
        loaded = load_policy(tmp_path / name, **NAMED, expect_digest=graph.digest)
        assert loaded.graph == graph
        assert loaded.graph.rules == graph.rules
        assert loaded.callables["audit"] is audit
    assert load_policy(data.decode(), **NAMED).graph == graph
    (tmp_path / "p.json").write_bytes(data.replace(b"jobs.create", b"jobs.delete"))
    assert isinstance(refused(tmp_path / "p.json", **NAMED), ArtifactError)
    (tmp_path / "p.json").write_text('{"version": 1}')
    assert "no compiled policy" in str(refused(tmp_path / "p.json"))
    assert "names callables" not in str(refused(tmp_path / "artifact.bin"))
    missing = refused(tmp_path / "artifact.bin")
    assert len(missing.diagnostics) == 4
    assert {finding.code for finding in missing.diagnostics} == {"SR602"}


def test_an_artifact_loads_without_models_and_parsers(tmp_path: Path) -> None:
    import subprocess

    path = tmp_path / "p.json"
    path.write_bytes(dump_artifact(load_policy(PLAIN).graph))
    code = """
import sys
from schemarouter import load_policy
assert load_policy(sys.argv[1]).graph.outcome("jobs.create", True, None, None) == "allow"
print(sorted({"pydantic", "ruamel", "_ruamel_yaml", "tomllib", "jsonschema", "click", "rich", "asyncio"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


def test_a_pinned_digest() -> None:
    digest = load_policy(PLAIN).graph.digest
    assert load_policy(PLAIN, expect_digest=digest).graph.digest == digest
    for other in ("0" * 64, "", digest.upper(), digest[:12]):
        error = refused(PLAIN, expect_digest=other)
        assert digest in str(error)
        assert error.help is not None


def test_every_finding_is_in_one_error() -> None:
    error = refused(
        "version: 1\nrules:\n  - {name: a, operation: a.b, effect: permit}\n  - {name: a, operatoin: x}\nfoo: 1\n"
    )
    assert len([finding for finding in error.diagnostics if finding.severity == "error"]) >= 3
    first = error.diagnostics[0]
    assert str(error).startswith(f"<text>:{first.span.line}:{first.span.column}: {first.code}[{first.name}] ")
    assert str(error).endswith(" more)")


def test_an_example_that_fails_refuses_the_policy() -> None:
    error = refused(TEXT.replace("decides: [jobs.create]", "decides: [jobs.create, jobs.x]"), **NAMED)
    finding = error.diagnostics[0]
    assert (finding.code, finding.name, finding.severity) == ("SR109", "failed-example", "error")
    assert (finding.span.line, finding.span.column) == (9, 39)
    assert finding.rule == "jobs"
    assert finding.witness is not None


@pytest.mark.parametrize(
    ("options", "pointers"),
    [
        ({}, ["/approval/callback", "/hooks/before_call/0", "/hooks/after_call/0", "/hooks/after_call/1"]),
        (NAMED | {"callbacks": {}}, ["/approval/callback"]),
        (NAMED | {"callbacks": {"ops": True}}, ["/approval/callback"]),
        (NAMED | {"hooks": {"audit": audit, "metrics": None}}, ["/hooks/after_call/1"]),
        (NAMED | {"callbacks": NAMED["hooks"] | {"Ops": ops}}, ["/approval/callback"]),
    ],
)
def test_a_name_without_a_callable_is_an_error_at_load_time(options: dict[str, Any], pointers: list[str]) -> None:
    error = refused(TEXT, **options)
    assert [(finding.code, finding.pointer) for finding in error.diagnostics] == [("SR602", one) for one in pointers]
    assert all(finding.name == "unresolvable-hook" and finding.help for finding in error.diagnostics)
    assert all(finding.span.line in (3, 10) and finding.span.column > 5 for finding in error.diagnostics)


def test_a_misspelt_name_is_suggested() -> None:
    error = refused(TEXT, hooks={"audti": audit, "metrics": metrics}, callbacks={"ops": ops})
    assert error.help == "did you mean `audti`?"


def test_one_name_for_two_callables_is_refused() -> None:
    text = "version: 1\napproval: {mode: all, callback: both}\nhooks: {before_call: [both]}\n"
    error = refused(text, hooks={"both": audit}, callbacks={"both": ops})
    assert "stands for two callables" in str(error)
    assert load_policy(text, hooks={"both": ops}, callbacks={"both": ops}).callables == {"both": ops}


MODULE = """
def hook(*args): ...
value = 5
class Holder:
    method = staticmethod(hook)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package with one good module and some that cannot be imported."""
    name = f"policy_hooks_{os.getpid()}"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "good.py").write_text(MODULE)
    (folder / "broken.py").write_text("raise RuntimeError('a secret')")
    (folder / "leaving.py").write_text("raise SystemExit(3)")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield name
    for loaded in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[loaded]


def hooked(name: str) -> str:
    return f'version: 1\nhooks: {{before_call: ["{name}"]}}\n'


def test_an_allowed_import(package: str) -> None:
    name = f"{package}.good:hook"
    for prefix in (package, f"{package}.", f"{package}.good", f"{package}.good."):
        loaded = load_policy(hooked(name), allow_imports=(prefix,))
        assert loaded.callables[name] is sys.modules[f"{package}.good"].hook
    assert load_policy(hooked(name), hooks={name: audit}, allow_imports=(package,)).callables[name] is audit


@pytest.mark.parametrize(
    ("name", "prefixes", "words"),
    [
        ("{}.good:hook", (), "importing it is not allowed"),
        ("{}.good:hook", ("{}.goo",), "importing it is not allowed"),
        ("{}.good:hook", ("{}.good.deeper",), "importing it is not allowed"),
        ("{}.good:hook", ("policy",), "importing it is not allowed"),
        ("os:system", ("{}",), "importing it is not allowed"),
        ("{}.good:Holder.method", ("{}",), "is no import path"),
        ("{}.good:", ("{}",), "is no import path"),
        (":hook", ("{}",), "is no import path"),
        ("{}..good:hook", ("{}",), "is no import path"),
        (".{}.good:hook", ("{}",), "is no import path"),
        ("{}.good:hook:hook", ("{}",), "is no import path"),
        ("{}.good:value", ("{}",), "is not callable"),
        ("{}.good:missing", ("{}",), "cannot be imported: AttributeError"),
        ("{}.missing:hook", ("{}",), "cannot be imported: ModuleNotFoundError"),
        ("{}.broken:hook", ("{}",), "cannot be imported: RuntimeError"),
        ("{}.leaving:hook", ("{}",), "cannot be imported: SystemExit"),
        ("{}.good.hook", ("{}",), "no callable is supplied"),
    ],
)
def test_imports_that_are_refused(package: str, name: str, prefixes: tuple[str, ...], words: str) -> None:
    error = refused(hooked(name.format(package)), allow_imports=tuple(one.format(package) for one in prefixes))
    assert words in str(error)
    assert "secret" not in str(error)
    if "not allowed" in words:
        assert f"{package}.good" not in sys.modules, "nothing was imported"


def test_prefixes_are_checked() -> None:
    wrong: Any
    for wrong in ("os", b"os", (5,)):
        with pytest.raises(TypeError, match="sequence"):
            load_policy(PLAIN, allow_imports=wrong)
    for prefix in ("", ".", "a..b", "a b", "os:system", "*"):
        with pytest.raises(ValueError, match="no module name"):
            load_policy(PLAIN, allow_imports=(prefix,))


def test_a_full_check_refuses_what_lint_calls_an_error() -> None:
    text = 'version: 1\nrules:\n  - {name: all, operation: "a.*", effect: require_approval, reason: so}\n'
    assert load_policy(text).graph.rules
    assert {"SR403"} <= {finding.code for finding in refused(text, check="full").diagnostics}
    named = text + "approval: {callback: ops}\n"
    assert load_policy(named, check="full", callbacks={"ops": ops}).callables == {"ops": ops}
    with pytest.raises(ValueError, match="structure"):
        load_policy(text, check="everything")  # type: ignore[arg-type]  # that is what is tested


def test_a_full_check_needs_the_source(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_bytes(dump_artifact(load_policy(PLAIN).graph))
    assert "cannot be linted" in str(refused(tmp_path / "p.json", check="full"))


@pytest.mark.timeout(20)
def test_a_pipe_is_read_if_somebody_writes_to_it(tmp_path: Path) -> None:
    pipe = tmp_path / "policy.yaml"
    os.mkfifo(pipe)
    assert "a pipe that nobody writes to" in str(refused(pipe))
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pipe.open("w") as writer:
            writer.write(PLAIN)
            writer.flush()
            threading.Timer(0.2, writer.close).start()
            assert load_policy(pipe).graph == load_policy(PLAIN).graph
    finally:
        os.close(reader)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for source, words in [
        (tmp_path / "missing.yaml", "there is no such file"),
        (str(tmp_path / "missing.json"), "there is no such file"),
        (tmp_path, "it is a directory"),
        ("nul\0.yaml", "no legal path"),
        ("x" * 5000, "cannot be read"),
        (tmp_path / "file" / "below.yaml", ""),
    ]:
        (tmp_path / "file").write_text("")
        error = refused(source)
        assert words in str(error)
        assert "cannot be read" in str(error)
        assert error.help is not None
    if os.geteuid() != 0:
        locked = tmp_path / "locked.yaml"
        locked.write_text(PLAIN)
        locked.chmod(0)
        assert "permission denied" in str(refused(locked))


def test_permission_denied_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", deny)
    assert "permission denied" in str(refused(tmp_path / "p.yaml"))


def test_wrong_arguments_are_type_errors() -> None:
    with pytest.raises(TypeError):
        load_policy(5)  # type: ignore[arg-type]  # that is what is tested


@pytest.mark.parametrize(
    "name", ["os:", ":system", "os..path:join", ".os:system", "os:path.join", "os:system:x", "os :system"]
)
def test_a_malformed_import_is_refused_where_no_reader_saw_it(name: str) -> None:
    graph = compile_policy(PolicyDocument(version=1, hooks=Hooks(before_call=[name])))
    found, problems = resolve_callables(graph, {}, {}, ("os",))
    assert found == {}
    assert [problem.code for problem in problems] == ["SR602"]
    assert "neither supplied nor of the form `module:attribute`" in problems[0].message
    assert resolve_callables(graph, {name: audit}, {}, ())[0] == {name: audit}, "a supplied name may look as it likes"
