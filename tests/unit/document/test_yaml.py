"""The pass "tree" for YAML: the core schema, what is refused, repairs of unquoted wildcards, and every place."""

from __future__ import annotations

import gc
from itertools import pairwise

import pytest
from ruamel.yaml import YAML

from schemarouter.document import limits
from schemarouter.document.text import read_source
from schemarouter.document.yaml_scalars import quote
from schemarouter.model.diagnostic import Span, Target


def read(text):
    return read_source(text, "policy.yaml", "yaml")


def data(text):
    source, problems = read(text)
    assert problems == []
    return source.data


def said(text):
    return [(problem.code, problem.message, problem.at) for problem in read(text)[1]]


def line(start, end, number=1):
    return Span(number, start, number, end)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1), ("-7", -7), ("+3", 3), ("010", 10), ("0o17", 15), ("0x1F", 31), ("1_000", "1_000"), ("0b1", "0b1"),
        ("1:30", "1:30"), ("1e3", 1000.0), ("1.", 1.0), (".5", 0.5), ("-0.25", -0.25), ("+1.5e-2", 0.015), ("1e", "1e"),
        (".", "."), ("-", [None]), ("+", "+"), ("2026-01-01", "2026-01-01"), ("true", True), ("True", True),
        ("FALSE", False), ("tRUE", "tRUE"), ("yes", "yes"), ("on", "on"), ("n", "n"), ("~", None), ("null", None),
        ("Null", None), ("nULL", "nULL"), ("", None), ("'1'", "1"), ('"true"', "true"), ("0o9", "0o9"), ("-0x1", "-0x1"),
        ("<<", "<<"), ("=", "="), ("9" * 400, int("9" * 400)),
    ],
)  # fmt: skip
def test_plain_scalars_follow_the_core_schema(text, value):
    found = data(text)
    assert (type(found), found) == (type(value), value)


def test_tame_documents_mean_what_another_parser_says():
    text = """\
---
rules:
- name: a
  operation: [x.*, "y.?"]   # flow
  when: {remote: true, arguments: {amount: {maximum: 0.5}}}
-   name: |
      two
      lines
    reason: >-
      folded
      text
    empty:
last: 'it''s'
"""
    assert data(text) == YAML(typ="safe", pure=True).load(text)


def test_no_document_is_an_empty_value_at_the_start():
    for text in ("", "# only a comment\n", "\n\n"):
        source, problems = read(text)
        assert (source.data, problems) == (None, [])
        assert source.locate(Target(())) == Span(1, 1, 1, 1)
        assert source.locate(Target(("version",), "key")) == Span(1, 1, 1, 1)


def test_repeated_keys_are_all_found_and_cite_the_first():
    source, problems = read('a: 1\nb: {c: 1, "c": 2}\na: 2\nd:\n  - e: 1\n    e: 2\na: 3\n')
    assert source.data == {"a": 1, "b": {"c": 1}, "d": [{"e": 1}]}
    assert [(problem.code, problem.at, problem.related[0][1]) for problem in problems] == [
        ("SR002", Span(2, 11, 2, 14), Span(2, 5, 2, 6)),
        ("SR002", Span(3, 1, 3, 2), Span(1, 1, 1, 2)),
        ("SR002", Span(6, 5, 6, 6), Span(5, 5, 5, 6)),
        ("SR002", Span(7, 1, 7, 2), Span(1, 1, 1, 2)),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<<: {a: 1}\nb: 2", [("SR005", "the merge key `<<` is not allowed", line(1, 3))]),
        ("a: !!str 1", [("SR008", "the tag `!!str` is not allowed", line(4, 9))]),
        ("a: !x [1]", [("SR008", "the tag `!x` is not allowed", line(4, 6))]),
        ("a: !<tag:x,1> {}", [("SR008", "the tag `!<tag:x,1>` is not allowed", line(4, 14))]),
        ("a: ! 1", [("SR008", "the tag `!` is not allowed", line(4, 5))]),
        ("!a b: 1", [("SR008", "the tag `!a` is not allowed", line(1, 3))]),
        ("1: a", [("SR103", "the key `1` is an integer, not a string", line(1, 2))]),
        ("{1.5: a}", [("SR103", "the key `1.5` is a number, not a string", line(2, 5))]),
        ("true: a", [("SR103", "the key `true` is a boolean, not a string", line(1, 5))]),
        ("~: a", [("SR103", "the key `~` is null, not a string", line(1, 2))]),
        ("? \n: a", [("SR103", "a key is empty", line(2, 2))]),
        ("[a]: b", [("SR103", "a key is a list, not a string", line(1, 2))]),
        ("{a: 1}: b", [("SR103", "a key is a mapping, not a string", line(1, 2))]),
        ("a: 1\n---\nb: 2", [("SR007", "a second document starts here", line(1, 4, 2))]),
        ("a: 1\n...\n---\nb: 2\n--- 3", [("SR007", "a second document starts here", line(1, 4, 3))]),
        ("%YAML 1.2\n---\na: 1", [("SR001", "a directive (`%...`) stands here", line(1, 2))]),
        ("%TAG ! x\n---\na: 1", [("SR001", "a directive (`%...`) stands here", line(1, 2))]),
        ("%FOO\n---\na: 1", [("SR001", "a directive (`%...`) stands here", line(1, 5))]),
        ("a: &x 1", [("SR004", "the anchor `&x` is never used", line(4, 6))]),
        ("a: &x 1\nb: *x", [("SR004", "the alias `*x` hides its value from review", line(4, 6, 2))]),
        ("a: &x [*x]", [("SR010", "the alias `*x` repeats itself without end", line(8, 10))]),
        ("a: .inf", [("SR103", "`.inf` is not a finite number", Target(("a",)))]),
        ("- {a: [1, -.INF]}", [("SR103", "`-.INF` is not a finite number", Target((0, "a", 1)))]),
        ("- - .nan", [("SR103", "`.nan` is not a finite number", Target((0, 0)))]),
        ("a: 1e999", [("SR103", "`1e999` is not a finite number", Target(("a",)))]),
    ],
)
def test_yaml_that_no_policy_may_hold(text, expected):
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("--- # x\na: 1\n...\n# end\n", {"a": 1}),
        ('"<<": {a: 1}', {"<<": {"a": 1}}),
        ('"1": a\n"~": b', {"1": "a", "~": "b"}),
        ("? a\n: b", {"a": "b"}),
        ("a: x!y&z*", {"a": "x!y&z*"}),
        ("a: github.*\nb: x?\nc: jobs.[ab]", {"a": "github.*", "b": "x?", "c": "jobs.[ab]"}),
    ],
)
def test_yaml_that_only_looks_odd(text, value):
    assert data(text) == value


def test_an_alias_gives_the_value_of_its_anchor():
    source, problems = read("a: &x {b: [1, 2]}\nc: *x\n? &k d\n: 1\n*k : 2\n")
    assert source.data == {"a": {"b": [1, 2]}, "c": {"b": [1, 2]}, "d": 1}
    assert [problem.code for problem in problems] == ["SR004", "SR004", "SR002"]
    assert source.locate(Target(("c",))) == Span(2, 4, 2, 6)
    assert source.locate(Target(("c", "b", 1))) == Span(1, 15, 1, 16)
    assert source.scalar(("c", "b", 1)).text == "2"


@pytest.mark.parametrize(
    ("text", "meant", "at", "value"),
    [
        ("operation: *.delete", "*.delete", line(12, 20), {"operation": "*.delete"}),
        ("operation: *", "*", line(12, 13), {"operation": "*"}),
        ("operation: *delete # all", "*delete", line(12, 19), {"operation": "*delete"}),
        ("operation: *.delete it # all", "*.delete it", line(12, 23), {"operation": "*.delete it"}),
        ("a: [x, *.y, z]", "*.y", line(8, 11), {"a": ["x", "*.y", "z"]}),
        ("a:\n  - *.y", "*.y", line(5, 8, 2), {"a": ["*.y"]}),
        ("cost: {*: 1}", "*", line(8, 9), {"cost": {"*": 1}}),
        ("cost:\n  *.x: 1", "*.x", line(3, 6, 2), {"cost": {"*.x": 1}}),
        ("a: {b: *.x}", "*.x", line(8, 11), {"a": {"b": "*.x"}}),
        ("a: [\n  *.x,\n  y]", "*.x", line(3, 6, 2), {"a": ["*.x", "y"]}),
        ("a: [ab].x", "[ab].x", line(4, 10), {"a": "[ab].x"}),
        ("a: [!ab]*.x\nb: 1", "[!ab]*.x", line(4, 12), {"a": "[!ab]*.x", "b": 1}),
        ("a: [[ab].x, y]", "[ab].x", line(5, 11), {"a": ["[ab].x", "y"]}),
        ("a: [x.[ab]*, y]", "x.[ab]*", line(5, 12), {"a": ["x.[ab]*", "y"]}),
        ("a: {b,c}.x", "{b,c}.x", line(4, 11), {"a": "{b,c}.x"}),
        ("a: [ab]*", "[ab]*", line(4, 9), {"a": "[ab]*"}),
        ("a: ?", "?", line(4, 5), {"a": "?"}),
        ("a: &x 1\nb: *.y", "*.y", line(4, 7, 2), {"a": 1, "b": "*.y"}),
    ],
)
def test_an_unquoted_wildcard_is_read_as_meant_and_can_be_fixed(text, meant, at, value):
    source, problems = read(text)
    problem = next(problem for problem in problems if problem.code != "SR004")
    assert (problem.code, problem.at, problem.fix) == ("SR003", at, ("safe", ((at, quote(meant)),)))
    assert source.data == value
    # The fix does what it promises.
    lines = text.split("\n")
    old = lines[at.line - 1]
    lines[at.line - 1] = old[: at.column - 1] + problem.fix[1][0][1] + old[at.end_column - 1 :]
    fixed, left = read("\n".join(lines))
    assert fixed.data == value
    assert {problem.code for problem in left} <= {"SR004"}


def test_many_unquoted_wildcards_and_the_errors_behind_them_are_found_in_one_pass():
    source, problems = read("a: *.x\nb: [*, *.y]\nc: [ab].z\na: 2\nd: !t 3\ne: *q\n")
    assert source.data == {"a": "*.x", "b": ["*", "*.y"], "c": "[ab].z", "d": 3, "e": "*q"}
    assert sorted((problem.at.line, problem.code) for problem in problems) == [
        (1, "SR003"), (2, "SR003"), (2, "SR003"), (3, "SR003"), (4, "SR002"), (5, "SR008"), (6, "SR003"),
    ]  # fmt: skip


def test_what_quotes_do_not_mend_is_a_syntax_error():
    source, problems = read("a: [ab].x: 3")
    assert source is None
    assert [(problem.code, problem.at) for problem in problems] == [("SR003", line(4, 10)), ("SR001", line(10, 11))]


def test_no_fix_where_the_quotes_would_not_cover_the_scalar():
    source, problems = read("a: [ab].x\n  - c")
    assert source.data == {"a": "[ab].x - c"}
    assert [(problem.code, problem.fix) for problem in problems] == [("SR003", None)]


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("a:\n\tb: 1", "a tab is used for indentation", line(1, 2, 2)),
        ("a: b: c", "a second `: ` stands in one value, or the line is indented too far", line(5, 6)),
        ("a: 'x\nb: 1", "the quote is never closed", line(4, 6)),
        ('b: 1\na: "x\n', "the quote is never closed", line(4, 6, 2)),
        ("a: [x\nb: 1", "the list is not closed by `]`", line(4, 5)),
        ("a: {x: 1\nb: 1", "the mapping is not closed by `}`", line(4, 5)),
        ("a: 1\nb\n", "the key has no colon behind it", line(1, 2, 2)),
        ("- a\nb: 1", "this does not continue the list", line(1, 3, 2)),
        ("a: 1\n b: 2", "a second `: ` stands in one value, or the line is indented too far", line(3, 4, 2)),
        ("a:\n  b: 1\n c: 2", "this does not continue the mapping", line(2, 4, 3)),
        ('a: "\\q"', "a backslash starts an escape that YAML does not have", line(5, 8)),
        ("a: - b", "a list item cannot start here", line(4, 5)),
        ("a: @x", "a value cannot start with `@`", line(4, 6)),
        ("a: `x`", "a value cannot start with ```", line(4, 7)),
        ("a: |x\n  b", "something stands behind the `|` or `>` of a block text", line(5, 6)),
    ],
)
def test_syntax_errors_stand_where_the_author_made_them(text, message, at):
    source, problems = read(text)
    assert source is None
    assert [(problem.code, problem.message, problem.at) for problem in problems] == [("SR001", message, at)]
    assert problems[0].help


def test_where_parsers_disagree_the_scalar_needs_quotes():
    source, problems = read("a: [b:c, d]")
    assert source.data == {"a": ["b:c", "d"]}
    assert [(problem.code, problem.at) for problem in problems] == [("SR001", line(5, 8))]
    assert problems[0].fix == ("safe", ((line(5, 8), '"b:c"'),))
    _source, problems = read("a: &.x")
    assert problems[0].message.endswith("though some YAML readers accept it")
    assert problems[0].help == "quote the scalar on this line, so that every reader agrees"


TEXT = """\
version: 1 # one
rules:
  - name: a
    operation: [x.*, "y"]
    reason: |  # header
      text # not a comment

      more

  # a comment
  - {name: b, when: {remote: true}}
  -
empty:
last: 'z'
"""


@pytest.mark.parametrize(
    ("path", "key", "value", "entry"),
    [
        (("version",), line(1, 8), line(10, 11), line(1, 11)),
        (("rules",), line(1, 6, 2), Span(3, 3, 12, 4), Span(2, 1, 12, 4)),
        (("rules", 0), line(5, 12, 3), Span(3, 5, 8, 11), Span(3, 5, 8, 11)),
        (("rules", 0, "operation"), line(5, 14, 4), line(16, 26, 4), line(5, 26, 4)),
        (("rules", 0, "operation", 1), line(22, 25, 4), line(22, 25, 4), line(22, 25, 4)),
        (("rules", 0, "reason"), line(5, 11, 5), Span(5, 13, 8, 11), Span(5, 5, 8, 11)),
        (("rules", 1), line(5, 36, 11), line(5, 36, 11), line(5, 36, 11)),
        (("rules", 1, "when", "remote"), line(22, 28, 11), line(30, 34, 11), line(22, 34, 11)),
        (("rules", 2), line(4, 4, 12), line(4, 4, 12), line(4, 4, 12)),
        (("empty",), line(1, 6, 13), line(7, 7, 13), line(1, 7, 13)),
        (("last",), line(1, 5, 14), line(7, 10, 14), line(1, 10, 14)),
        (("rules", 0, "missing"), line(5, 12, 3), line(5, 12, 3), line(5, 12, 3)),
        (("rules", 9), line(1, 6, 2), line(1, 6, 2), line(1, 6, 2)),
        (("version", "x"), line(1, 8), line(1, 8), line(1, 8)),
        (("nothing", "there"), line(1, 1), line(1, 1), line(1, 1)),
        ((), Span(1, 1, 14, 10), Span(1, 1, 14, 10), Span(1, 1, 14, 10)),
    ],
)
def test_places_of_keys_values_and_entries(path, key, value, entry):
    source, problems = read(TEXT)
    assert problems == []
    found = [source.locate(Target(path, part)) for part in ("key", "value", "entry")]
    assert found == [key, value, entry]


def test_positions_of_list_items_at_once():
    source, _problems = read(TEXT)
    assert source.positions(("rules",)) == [(3, 5), (11, 5), (12, 4)]
    assert source.positions(("version",)) == source.positions(("nothing",)) == []


def test_comments_stand_outside_scalars():
    source, _problems = read(TEXT)
    assert [tuple(comment) for comment in source.comments] == [
        (1, 12, " one", False), (5, 16, " header", False), (10, 3, " a comment", True),
    ]  # fmt: skip
    source, _problems = read('#!x\na: b#c \'d # e\nf: "g # h\n  # i" # j\n#')
    assert [tuple(comment) for comment in source.comments] == [
        (1, 1, "!x", True), (2, 11, " e", False), (4, 8, " j", False), (5, 1, "", True),
    ]  # fmt: skip
    source, _problems = read("a: &x # y\n  z\nb: !t # u\n  - 1 # v\n---\n# later document")
    assert [comment.text for comment in source.comments] == [" y", " u", " v"]


@pytest.mark.parametrize(
    ("text", "written", "plain"),
    [
        ("010", "010", True), ("'it''s'", "it''s", False), ('"a\\tb"', "a\\tb", False), ("&x 1_0", "1_0", True),
        ("!!str 5", "5", True), ("", "", True), ("|\n  a", "  a\n", False), ("1:30", "1:30", True), ("&x 'y'", "y", False),
    ],
)  # fmt: skip
def test_how_a_scalar_was_written(text, written, plain):
    source, _problems = read(f"k: {text}\nl: []")
    assert tuple(source.scalar(("k",))) == (written, plain)
    assert source.scalar(("l",)) is None
    assert source.scalar(()) is None
    assert source.scalar(("m",)) is None


def bomb():
    letters = "abcdefghi"
    lines = ["a: &a [" + ",".join("x" * 9) + "]"]
    lines += [f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]" for a, b in pairwise(letters)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 1_000_000, "the text is nested more than 64 deep"),
        ("{a: " * 900_000, "the text is nested more than 64 deep"),
        ("- " * 1_000_000, "the text is nested more than 64 deep"),
        ("\n".join(" " * depth + "a:" for depth in range(500)), "the text is nested more than 64 deep"),
        (bomb(), "aliases repeat more than 10000 keys and values"),
        ("- &a x\n" + "- *a\n" * 101, "the file holds more than 100 aliases"),
        ("[" + "1," * 1_000_000 + "]", "the file holds more than 1000000 keys and values"),
        ("a: " + "9" * 500, "a number has more than 400 digits"),
        ("9" * 500 + ": a", "a number has more than 400 digits"),
        ('? "' + "k" * 1_023 + '"\n: a', "a key is longer than 1024 characters"),
        ("a: '" + "x" * 70_000 + "'", "a value is longer than 65536 characters"),
    ],
)
@pytest.mark.timeout(60)
def test_hostile_files_are_refused_quickly(text, message):
    _source, problems = read(text)
    assert ("SR010", message) in [(problem.code, problem.message) for problem in problems]


@pytest.mark.parametrize(
    "text", ["a: *.x\n" * 5_000, "- *x\n" * 5_000, "a: 1\n" * 900, "- !t a\n" * 5_000, "- &x a\n" * 5_000]
)
def test_the_list_of_problems_is_bounded(text):
    _source, problems = read(text)
    assert 0 < len(problems) <= 2 * limits.MAX_LISTED + 1


@pytest.mark.parametrize("text", ["a: 1\n" * 900_000, "- {a: 1, a: 2}\n" * 200_000, "*a: 1\n" * 500_000])
@pytest.mark.timeout(10)
def test_a_file_of_duplicate_keys_is_left_early(text):
    source, problems = read(text)
    assert source is None
    assert [problem.code for problem in problems].count("SR002") == limits.MAX_LISTED
    assert problems[-1].message == "the file holds more than 1000 duplicate keys"


def test_the_deepest_text_that_is_allowed():
    depth = limits.MAX_DEPTH
    assert data("[" * depth + "]" * depth) is not None
    assert said("[" * (depth + 1) + "]" * (depth + 1))[0][0] == "SR010"


def test_the_garbage_collector_is_left_as_it_was():
    assert gc.isenabled()
    read("a: [")
    assert gc.isenabled()
    gc.disable()
    try:
        read("a: 1")
        assert not gc.isenabled()
    finally:
        gc.enable()
