"""What needs no tool of its own to compare with: dict look-ups, a loop over fnmatch, parsers, bare validators."""

from __future__ import annotations

import time
import tomllib
from itertools import cycle, islice
from pathlib import Path

import jsonschema
from ruamel.yaml import YAML

from benchmarks.timing import Timed, each, made, over
from benchmarks.workload import ARGUMENTS, INPUT, OUTPUT, RESULT, first_match, fresh, matched, policy


def _keys(rules: int) -> list[tuple[str, str, bool, bool, None]]:
    return [(*name.partition(".")[::2], False, True, None) for name in matched(policy(rules))]


def five_look_ups(rules: int) -> Timed:
    """Five look-ups with a key that is put together from five values each time, over as many keys as `seen` takes."""
    keys = _keys(rules)
    table = dict.fromkeys(keys, "allow")
    endless = cycle(keys)

    def timed(loops: int) -> float:
        batch = list(islice(endless, loops))
        start = time.perf_counter()
        for tool, endpoint, remote, read_only, destructive in batch:
            table[tool, endpoint, remote, read_only, destructive]
            table[tool, endpoint, remote, read_only, destructive]
            table[tool, endpoint, remote, read_only, destructive]
            table[tool, endpoint, remote, read_only, destructive]
            table[tool, endpoint, remote, read_only, destructive]
        return time.perf_counter() - start

    return timed


def five_bare_look_ups(rules: int) -> Timed:
    """The same with keys that exist already, which no evaluation of three objects can have."""
    keys = _keys(rules)
    table = dict.fromkeys(keys, "allow")
    endless = cycle(keys)

    def timed(loops: int) -> float:
        batch = list(islice(endless, loops))
        start = time.perf_counter()
        for key in batch:
            table[key]
            table[key]
            table[key]
            table[key]
            table[key]
        return time.perf_counter() - start

    return timed


def fnmatch_loop(rules: int, mix: str = "typical") -> Timed:
    """The first rule whose pattern `fnmatch.fnmatchcase` accepts."""
    policy_rules = policy(rules, mix)
    return over(fresh(policy_rules), lambda name: first_match(policy_rules, name))


def yaml_safe_load(rules: int) -> Timed:
    """ruamel.yaml's loader in C alone."""
    from benchmarks.sides.ours import policy_file

    path = Path(policy_file(rules, "yaml"))
    return made(lambda: YAML(typ="safe").load(path.read_bytes()))


def toml_load(rules: int) -> Timed:
    """tomllib alone."""
    from benchmarks.sides.ours import policy_file

    path = Path(policy_file(rules, "toml"))
    return made(lambda: tomllib.loads(path.read_bytes().decode()))


def two_validations() -> Timed:
    """The two checks that a call contains, with validators that were made beforehand."""
    arguments, result = jsonschema.Draft202012Validator(INPUT), jsonschema.Draft202012Validator(OUTPUT)

    def validate() -> bool:
        return arguments.is_valid(ARGUMENTS) and result.is_valid(RESULT)

    assert validate()
    return each(validate)


CASES = {
    "five_look_ups": five_look_ups,
    "five_bare_look_ups": five_bare_look_ups,
    "fnmatch_loop": fnmatch_loop,
    "yaml_safe_load": yaml_safe_load,
    "toml_load": toml_load,
    "two_validations": two_validations,
}
