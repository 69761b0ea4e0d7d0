"""What is measured against what, and what is aimed at: data."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.analysis_plan import analysis_groups
from benchmarks.hosts_plan import host_groups
from benchmarks.parts import PROCESS, Amount, Entrant, Group, Growth, Ratio, ours

#: Side -> its environment and the module with its cases.
SIDES = {
    "ours": ("wheel", "ours"),
    "0.17.0": ("schemarouter-0.17.0", "released"),
    "pycasbin": ("casbin", "casbin"),
    "cedarpy": ("cedarpy", "cedar"),
    "re2 Set": ("google-re2", "re2set"),
    "analysis": ("wheel", "questions"),
    "hosts": ("integrations", "hosts"),
    "z3": ("z3-solver", "z3_strings"),
    "automata-lib": ("automata-lib", "automata_lib"),
}


def groups() -> Iterator[Group]:
    """Every group, in the order of the report."""
    yield from _seen()
    for size in (10, 100, 1_000, 10_000):
        yield _new(size)
    for mix in ("infix", "stars", "question"):
        for size in (10, 100, 1_000, 10_000):
            yield _worst(mix, size)
    yield from _engines()
    yield from _loading()
    yield from _hostile()
    yield from _processes()
    yield from _calls()
    yield from _stores()
    yield _document()
    yield from analysis_groups()
    yield from host_groups()


def _seen() -> Iterator[Group]:
    sizes = (10, 100, 1_000, 10_000, 100_000)
    yield Group(
        "An operation seen before",
        "evaluate(tool, endpoint, call)",
        {
            "five look-ups": ours("five_look_ups", rules=1_000),
            "five with keys that exist": ours("five_bare_look_ups", rules=1_000),
        }
        | {f"{n:,} rules": ours("seen", rules=n) for n in sizes},
        (
            *(Ratio(f"{n:,} rules, to five dict look-ups", f"{n:,} rules", "five look-ups", 1.0) for n in sizes),
            Ratio("10,000 rules, to five with keys that exist already", "10,000 rules", "five with keys that exist"),
            Ratio("10,000 rules to 10", "10,000 rules", "10 rules", 1.3),
            Ratio("100,000 rules to 10", "100,000 rules", "10 rules", 1.3),
        ),
    )


def _new(size: int) -> Group:
    mine = f"new, {size:,} rules"
    return Group(
        "An operation never seen before",
        f"{size:,} rules",
        {
            mine: ours("new", rules=size),
            "re2 Set, new names": Entrant("re2 Set", "new", {"rules": size}),
            "re2 Set, 64 names in turn": Entrant("re2 Set", "repeated", {"rules": size}),
            "fnmatchcase loop": ours("fnmatch_loop", rules=size),
        },
        (
            Ratio(f"{size:,} rules, to re2 Set", mine, "re2 Set, new names", 4),
            Ratio(f"{size:,} rules, to re2 Set that saw the names before", mine, "re2 Set, 64 names in turn"),
            Ratio(f"{size:,} rules, fnmatchcase loop to ours", "fnmatchcase loop", mine),
        ),
        (ours("rule_numbers", rules=size), Entrant("re2 Set", "decisions", {"rules": size})),
    )


def _worst(mix: str, size: int) -> Group:
    mine = f"{mix}, {size:,} rules"
    arguments = {"rules": size, "mix": mix}
    return Group(
        "An operation never seen before, worst mixes",
        f"{mix}, {size:,} rules",
        {
            mine: ours("new", **arguments),
            "re2 Set, new names": Entrant("re2 Set", "new", arguments),
            "re2 Set, 64 names in turn": Entrant("re2 Set", "repeated", arguments),
        },
        (
            Ratio(f"{mix}, {size:,} rules, to re2 Set", mine, "re2 Set, new names", 15),
            Ratio(f"{mix}, {size:,} rules, to re2 Set that saw the names before", mine, "re2 Set, 64 names in turn"),
        ),
        (ours("rule_numbers", **arguments), Entrant("re2 Set", "decisions", arguments)),
    )


def _engines() -> Iterator[Group]:
    least = {100: 100.0, 1_000: 1_000.0}
    for size in (10, 100, 1_000):
        arguments = {"rules": size}
        mine, mine_new = f"last of {size:,} rules", f"last of {size:,} rules, new"
        yield Group(
            "The last rule of a policy, other engines to ours",
            f"{size:,} rules",
            {
                mine: ours("last", **arguments),
                mine_new: ours("last_new", **arguments),
                "0.17.0": Entrant("0.17.0", "last", arguments),
                "pycasbin": Entrant("pycasbin", "last", arguments),
                "cedarpy": Entrant("cedarpy", "last", arguments),
            },
            (
                Ratio(f"{size:,} rules, 0.17.0", "0.17.0", mine, at_least=least.get(size)),
                Ratio(f"{size:,} rules, 0.17.0 to ours with an operation never seen", "0.17.0", mine_new),
                Ratio(f"{size:,} rules, pycasbin", "pycasbin", mine),
                Ratio(f"{size:,} rules, pycasbin to ours with an operation never seen", "pycasbin", mine_new),
                Ratio(f"{size:,} rules, cedarpy", "cedarpy", mine),
                Ratio(f"{size:,} rules, cedarpy to ours with an operation never seen", "cedarpy", mine_new),
            ),
            (
                ours("decisions", **arguments),
                Entrant("0.17.0", "decisions", arguments),
                Entrant("pycasbin", "decisions", arguments),
            ),
        )


def _loading() -> Iterator[Group]:
    for size in (10, 100, 1_000, 10_000):
        mine = f"Python objects, {size:,} rules"
        yield Group(
            "Load and first decision",
            f"Python objects, {size:,} rules",
            {mine: ours("load_python", rules=size), "0.17.0": Entrant("0.17.0", "load_python", {"rules": size})},
            (Ratio(f"{size:,} rules from Python objects, to 0.17.0", mine, "0.17.0", 1 / 8),),
        )
    size = 10_000
    yield Group(
        "Load and first decision",
        f"files of {size:,} rules",
        {
            "YAML": ours("load", rules=size, kind="yaml"),
            "ruamel.yaml, C, alone": ours("yaml_safe_load", rules=size),
            "TOML": ours("load", rules=size, kind="toml"),
            "tomllib alone": ours("toml_load", rules=size),
            "artifact": ours("load", rules=size, kind="json"),
            "compile": ours("compile_document", rules=size),
        },
        (
            Ratio("YAML to decision, to ruamel.yaml's C-backed safe load alone", "YAML", "ruamel.yaml, C, alone", 0.6),
            Ratio("TOML to decision, to tomllib alone", "TOML", "tomllib alone", 3),
            Ratio("YAML to artifact", "YAML", "artifact", at_least=10),
            Amount("compile a document, per rule", "compile", 1e6 / size, "µs", 5),
            Amount("memory of a graph in use, per rule", "memory", 1, "bytes", 1_000),
        ),
        values={"memory": ours("bytes_per_rule", rules=size)},
    )


def _hostile() -> Iterator[Group]:
    lengths, sizes = (64, 128, 256, 512, 1024), (64, 128, 256, 512, 1024)
    for family in ("many-star", "infix", "question", "bracket"):
        by_length = {
            f"256 rules, {n:,} characters": ours("hostile", family=family, rules=256, length=n) for n in lengths
        }
        by_size = {f"{n:,} rules, 256 characters": ours("hostile", family=family, rules=n, length=256) for n in sizes}
        yield Group(
            "Patterns made to be slow",
            family,
            by_length | by_size,
            (
                Growth(f"{family}: each doubling of the name", tuple(by_length), 2.2),
                Growth(f"{family}: each doubling of the policy", tuple(by_size), 2.2),
            ),
        )


def _processes() -> Iterator[Group]:
    deciding = (
        "from schemarouter import load_policy; "
        "load_policy({artifact!r}).graph.decide('zz.last_resort', False, True, None)"
    )
    yield Group(
        "Start-up, from the wheel",
        "processes",
        {
            "python -c pass": Entrant(PROCESS, "python", {"arguments": ["-c", "pass"]}),
            "--version": Entrant(PROCESS, "schemarouter", {"arguments": ["--version"]}),
            "check of 100 clean rules": Entrant(PROCESS, "schemarouter", {"arguments": ["check", "{policy}"]}),
            "artifact, one decision": Entrant(PROCESS, "python", {"arguments": ["-c", deciding]}),
        },
        (
            Ratio("`--version`, to a bare Python", "--version", "python -c pass", 1.5),
            Ratio("`check` of 100 clean rules, to a bare Python", "check of 100 clean rules", "python -c pass", 16),
            Ratio("artifact and one decision, to a bare Python", "artifact, one decision", "python -c pass", 4),
        ),
    )


def _calls() -> Iterator[Group]:
    section = "One call, execute_call around an async no-op"
    for title, arguments, least in (
        ("plain", {}, 60.0),
        ("two and two hooks", {"hooks": True}, None),
        ("two and two hooks, approval, budget", {"hooks": True, "approval": True}, 100.0),
    ):
        yield Group(
            section,
            title,
            {title: ours("execute", **arguments), "0.17.0": Entrant("0.17.0", "execute", arguments)},
            (Ratio(f"{title}: 0.17.0 to ours", "0.17.0", title, at_least=least),),
        )
    yield Group(
        section,
        "where the cost comes from",
        {
            "plain": ours("execute"),
            "no schemas": ours("execute", contract=False),
            "two validations": ours("two_validations"),
            "10 rules": ours("execute", rules=10),
            "10,000 rules": ours("execute", rules=10_000),
            "20 endpoints": ours("execute", endpoints=20),
        },
        (
            Ratio("plain, to the two bare jsonschema validations in it", "plain", "two validations", 1.5),
            Ratio("without schemas, to the same", "no schemas", "two validations"),
            Ratio("10,000 rules to 10", "10,000 rules", "10 rules", 1.1),
            Ratio("20 endpoints to 1", "20 endpoints", "plain", 1.1),
        ),
    )


def _stores() -> Iterator[Group]:
    for lease in (False, True):
        words = "with a call id" if lease else "reserve and commit"
        for processes in (1, 4, 16):
            arguments = {"processes": processes, "lease": lease}
            who = "1 process" if processes == 1 else f"{processes} processes"
            mine, bare = f"{words}, {who}", f"bare, {words}, {who}"
            yield Group(
                "State shared by processes, one SQLite file",
                f"{words}, {who}",
                {mine: ours("reserve_and_commit", **arguments), bare: ours("bare_transactions", **arguments)},
                (Ratio(f"{words}, {who}, to two bare transactions", mine, bare, 2),),
            )


def _document() -> Group:
    """The largest real document: 13 MB, 1,223 operations."""
    size = {"operations": 1_223}
    return Group(
        "GitHub's REST API, an OpenAPI document of 13 MB",
        "import, catalog and check",
        {"checked": ours("document_checked", **size), "parsed": ours("document_parsed", **size)},
        (
            Ratio("import, catalog and check in one go, to `json.load` of the same file", "checked", "parsed", 10),
            Amount("import, catalog and check: peak memory of the process", "checked peak", 1e-6, "MB", 256),
            Amount("`json.load`: peak memory of the process", "parsed peak", 1e-6, "MB", 256),
        ),
        values={
            "checked peak": ours("document_peak", what="checked", **size),
            "parsed peak": ours("document_peak", what="parsed", **size),
        },
    )
