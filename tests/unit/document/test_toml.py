"""The pass "tree" for TOML: what is defined twice, values that a policy cannot hold, syntax errors, and every place."""

from __future__ import annotations

import tomllib
from datetime import date

import pytest

from schemarouter.document import limits, toml
from schemarouter.document.text import read_source
from schemarouter.model.diagnostic import Span, Target


def read(text):
    return read_source(text, "policy.toml", "toml")


def said(text):
    return [(problem.code, problem.message, problem.at) for problem in read(text)[1]]


def line(start, end, number=1):
    return Span(number, start, number, end)


@pytest.mark.parametrize(
    "text",
    [
        "", "# only a comment", "\r\n\r\n", "a = 1", "a.b.c = 1\na.b.d = 2", "[a]\n[a.b]\n[c]", "[a.b]\n[a]\nc = 1", "[[a]]\n[[a]]\n[a.b]\n[[a.c]]",
        "a = [1, 2, ]", "a = [ # x\n [1], # y\n\n {b = 2} ]", "a = {}", "a = {b.c = 1, b.d = 2}", "'a b'.\"c\\u0041\" = 1", "1.2 = 3", "a = 1_000",
        'a = """\nx\n"y" ""z\\\n   w"""', "a = '''x''y'''''", 'a = """x"""""', 'a = ""\nb = ""', "a = 0x1F\nb = 0o7\nc = 1e3\nd = -0.5",
        "[a]\nb.c = 1\n[a.d]\n[a.b.e]", "a\t=\t'x'\t# y", "[ a . 'b' ]\n[[ c ]]", "a = 'é😀'\n\"é\" = 1", "a = true\nb = false", 'a = "\\" # x"',
        "fruit = [{name = 'x', sizes = [{n = 1}]}]", "[[a]]\nb = [[], [{}]]",
    ],
)  # fmt: skip
def test_valid_documents_mean_what_tomllib_says(text):
    source, problems = read(text)
    assert problems == []
    assert source.data == tomllib.loads(text)


@pytest.mark.parametrize(
    ("text", "at", "first", "data"),
    [
        ("a = 1\na = 2\nb = 3", line(1, 2, 2), line(1, 2), {"a": 1, "b": 3}),
        ("a = 1\n'a' = {b = 2, c = [\n1]}\nb = 3", line(1, 4, 2), line(1, 2), {"a": 1, "b": 3}),
        ("[a]\nx = 1\n[a]\ny = 2\n[b]\nz = 3", line(2, 3, 3), line(2, 3), {"a": {"x": 1}, "b": {"z": 3}}),
        ("[[a]]\n[a]\nb = 1", line(2, 3, 2), line(3, 4), {"a": [{}]}),
        ("[a]\n[[a]]\nb = 1", line(3, 4, 2), line(2, 3), {"a": {}}),
        ("a = []\n[[a]]", line(3, 4, 2), line(1, 2), {"a": []}),
        ("a = 1\n[a.b]\nc = 2", line(2, 3, 2), line(1, 2), {"a": 1}),
        ("a.b = 1\n[a]\nc = 2", line(2, 3, 2), line(1, 2), {"a": {"b": 1}}),
        ("a = {b = 1}\na.c = 2", line(1, 2, 2), line(1, 2), {"a": {"b": 1}}),
        ("a = {b = 1}\n[a.c]", line(2, 3, 2), line(1, 2), {"a": {"b": 1}}),
        ("a = {b = 1, b = 2, c = 3}", line(13, 14), line(6, 7), {"a": {"b": 1, "c": 3}}),
        ("a = {b = {c = 1}, b.d = 2}", line(19, 20), line(6, 7), {"a": {"b": {"c": 1}}}),
        ("[a.b]\nc = 1\n[a]\nb.d = 2\ne = 3", line(1, 2, 4), line(4, 5), {"a": {"b": {"c": 1}, "e": 3}}),
        ("[[a.b]]\n[a]\nb = 1", line(1, 2, 3), line(5, 6), {"a": {"b": [{}]}}),
    ],
)
def test_what_is_defined_twice_cites_the_first_and_hides_nothing(text, at, first, data):
    source, problems = read(text)
    assert [(problem.code, problem.at, problem.related[0][1]) for problem in problems] == [("SR002", at, first)]
    assert source.data == data


def test_all_repeated_definitions_are_found_beside_other_errors():
    _source, problems = read("a = 1\na = 2\nb = 'x\\q'\nc = \"\\q\"\na = {d = 1, d = 2}\nf = [1")
    assert [(problem.code, problem.at.line) for problem in problems] == [
        ("SR002", 2), ("SR002", 5), ("SR002", 5), ("SR001", 4), ("SR001", 6),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "code", "message", "stand_in"),
    [
        ("2026-01-01", "SR006", "`2026-01-01` is a date or a time", "2026-01-01"),
        ("07:32:00", "SR006", "`07:32:00` is a date or a time", "07:32:00"),
        ("1979-05-27 07:32:00.5", "SR006", "`1979-05-27 07:32:00.5` is a date or a time", "1979-05-27 07:32:00.5"),
        ("1979-05-27T07:32:00Z", "SR006", "`1979-05-27T07:32:00Z` is a date or a time", "1979-05-27T07:32:00Z"),
        ("inf", "SR103", "`inf` is not a finite number", None),
        ("-nan", "SR103", "`-nan` is not a finite number", None),
        ("1e999", "SR103", "`1e999` is not a finite number", None),
    ],
)
@pytest.mark.parametrize(
    ("before", "after", "path"),
    [("a = ", "", ("a",)), ("[[a]]\nb = [1, ", "]", ("a", 0, "b", 1)), ("a = {b.c = ", " }", ("a", "b", "c"))],
)
def test_values_that_a_policy_cannot_hold(value, code, message, stand_in, before, after, path):
    source, problems = read(f"{before}{value}{after}\nz = 1")
    assert [(problem.code, problem.message, problem.at) for problem in problems] == [(code, message, Target(path))]
    assert source.text_at(source.locate(problems[0].at)) == value
    found = source.data
    for step in path:
        found = found[step]
    assert found == stand_in
    assert not isinstance(found, date)


NOT_A_VALUE = "this is not a TOML value"


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("a = yes", NOT_A_VALUE, line(5, 8)),
        ("a = 1\nb = *.x", NOT_A_VALUE, line(5, 8, 2)),
        ("a = [ab]", NOT_A_VALUE, line(6, 8)),
        ("a = 01", NOT_A_VALUE, line(5, 7)),
        ("a = 2024-13-01", NOT_A_VALUE, line(5, 15)),
        ("a = 'x", "the quote is never closed", line(5, 7)),
        ('a = """x\ny', "the quote is never closed", line(5, 9)),
        ('"a = 1', "the quote is never closed", line(1, 3)),
        ("a = [1,\n2", "the array is not closed by `]`", line(5, 6)),
        ("a = {b = 1", "the inline table is not closed by `}`", line(5, 6)),
        ("[a\nb = 1", "a table header is not closed by `]`", line(1, 3)),
        ("[[a]\nb = 1", "a table header is not closed by `]]`", line(1, 4)),
        ("= 1", "a key is missing here", line(1, 2)),
        ("a", "the key has no `=` behind it", line(2, 2)),
        ("a b = 1", "the key has no `=` behind it", line(3, 4)),
        ("a: 1", "the key has no `=` behind it", line(2, 3)),
        ("* = 1", "a key with wildcards is not quoted", line(1, 2)),
        ("a = 1 b = 2", "this does not belong to the value before it", line(7, 8)),
        ("a =", "a value is missing here", line(4, 4)),
        ("a = 1\n\tb = 2\rc = 3", "a carriage return stands without a line feed", Span(2, 7, 3, 1)),
        ('a = "\\q"', "a backslash starts an escape that TOML does not have", line(6, 8)),
        ("a = '''\n\r\n'''\r\nb = \"\\q\"", "a backslash starts an escape that TOML does not have", line(6, 8, 4)),
    ],
)
def test_syntax_errors_stand_where_the_author_made_them(text, message, at):
    source, problems = read(text)
    assert source is None
    assert [(problem.code, problem.message) for problem in problems] == [("SR001", message)]
    assert problems[0].at[:2] == at[:2]
    assert problems[0].help


TEXT = """\
version = 1 # one
cost."*" = 0.25
cost.x = {tool = 1, "a.b" = 2 }
[[rules]] # first
name = 'a'
operation = [
  "x # y", # item
  "z",
]
[rules.when]
remote = true

[[rules]]
name = \"\"\"
two
lines\"\"\"
[ defaults . "inner" ]
[hooks]
"""


@pytest.mark.parametrize(
    ("path", "key", "value", "entry"),
    [
        (("version",), line(1, 8), line(11, 12), line(1, 12)),
        (("cost",), line(1, 5, 2), Span(2, 1, 3, 32), Span(2, 1, 3, 32)),
        (("cost", "*"), line(6, 9, 2), line(12, 16, 2), line(6, 16, 2)),
        (("cost", "x"), line(6, 7, 3), line(10, 32, 3), line(6, 32, 3)),
        (("cost", "x", "a.b"), line(21, 26, 3), line(29, 30, 3), line(21, 30, 3)),
        (("rules",), line(3, 8, 4), Span(4, 1, 16, 9), Span(4, 1, 16, 9)),
        (("rules", 0), line(1, 10, 4), Span(4, 1, 11, 14), Span(4, 1, 11, 14)),
        (("rules", 0, "name"), line(1, 5, 5), line(8, 11, 5), line(1, 11, 5)),
        (("rules", 0, "operation"), line(1, 10, 6), Span(6, 13, 9, 2), Span(6, 1, 9, 2)),
        (("rules", 0, "operation", 1), line(3, 6, 8), line(3, 6, 8), line(3, 6, 8)),
        (("rules", 0, "when"), line(8, 12, 10), Span(10, 1, 11, 14), Span(10, 1, 11, 14)),
        (("rules", 1), line(1, 10, 13), Span(13, 1, 16, 9), Span(13, 1, 16, 9)),
        (("rules", 1, "name"), line(1, 5, 14), Span(14, 8, 16, 9), Span(14, 1, 16, 9)),
        (("defaults",), line(3, 11, 17), line(1, 23, 17), line(1, 23, 17)),
        (("defaults", "inner"), line(14, 21, 17), line(1, 23, 17), line(1, 23, 17)),
        (("hooks",), line(2, 7, 18), line(1, 8, 18), line(1, 8, 18)),
        (("rules", 0, "missing"), line(1, 10, 4), line(1, 10, 4), line(1, 10, 4)),
        (("rules", 7), line(3, 8, 4), line(3, 8, 4), line(3, 8, 4)),
        (("nothing",), line(1, 1), line(1, 1), line(1, 1)),
    ],
)
def test_places_of_keys_values_and_entries(path, key, value, entry):
    source, problems = read(TEXT)
    assert problems == []
    found = [source.locate(Target(path, part)) for part in ("key", "value", "entry")]
    assert found == [key, value, entry]


def test_positions_comments_and_scalars():
    source, _problems = read(TEXT)
    assert source.positions(("rules",)) == [(4, 1), (13, 1)]
    assert source.positions(("hooks",)) == []
    assert [tuple(comment) for comment in source.comments] == [
        (1, 13, " one", False), (4, 11, " first", False), (7, 12, " item", False),
    ]  # fmt: skip
    assert tuple(source.scalar(("version",))) == ("1", True)
    assert tuple(source.scalar(("rules", 0, "name"))) == ("a", False)
    assert tuple(source.scalar(("rules", 1, "name"))) == ("\ntwo\nlines", False)
    assert source.scalar(("rules",)) is None


def test_a_table_of_a_rule_stands_behind_its_header():
    """``[rules.x]`` behind ``[[rules]]`` is TOML: a table of the last rule; whether a rule may have it is not asked here."""
    source, problems = read("[[rules]]\nname = 'a'\n[rules.x]\ny = 1\n")
    assert problems == []
    assert source.data == {"rules": [{"name": "a", "x": {"y": 1}}]}
    assert source.locate(Target(("rules", 0, "x"), "key")) == line(8, 9, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a" + ".a" * 100_000 + " = 1", "a key has more than 32 parts"),
        ("[" + "a." * 1_000_000 + "a]", "a key has more than 32 parts"),
        ("a = " + "[" * 1_000_000, "the text is nested more than 64 deep"),
        ("a = " + "{a=" * 1_000_000, "the text is nested more than 64 deep"),
        (
            "\n".join(f"[{'.'.join('abcdefgh' * 4)}]" for _ in range(1)) + "\na = " + "[" * 40,
            "the text is nested more than 64 deep",
        ),
        ("a = [" + "1," * 1_000_000 + "]", "the file holds more than 1000000 keys and values"),
        ("\n".join(f"k{number} = 1" for number in range(510_000)), "the file holds more than 1000000 keys and values"),
        ("[[a]]\n" * 510_000, "the file holds more than 1000000 keys and values"),
        ("a = " + "9" * 500, "a number has more than 400 digits"),
        ("a = '" + "x" * 70_000 + "'", "a value is longer than 65536 characters"),
        ("k" * 1_025 + " = 1", "a key is longer than 1024 characters"),
    ],
)
@pytest.mark.timeout(60)
def test_hostile_files_are_refused_quickly(text, message):
    source, problems = read(text)
    assert source is None
    assert ("SR010", message) in [(problem.code, problem.message) for problem in problems]


@pytest.mark.parametrize(
    "text", ["a = 1\n" * 900_000, "[a]\n" * 900_000, "a.b = 1\n" * 900_000, "a = {" + "b = 1, " * 900_000 + "c = 2}"]
)
@pytest.mark.timeout(10)
def test_a_file_of_repeated_definitions_is_left_early(text):
    source, problems = read(text)
    assert source is None
    assert [problem.code for problem in problems] == ["SR002"] * limits.MAX_LISTED + ["SR010"]
    assert problems[-1].message == "the file holds more than 1000 duplicate keys"


def test_some_repeated_definitions_hide_no_other_error():
    source, problems = read("a = 1\n" * 900 + "b = nan")
    assert source is not None
    assert [problem.code for problem in problems] == ["SR002"] * limits.MAX_LISTED + ["SR103"]


def test_a_difference_between_scanner_and_judge_is_an_error(monkeypatch):
    """Should the two ever disagree, no data leaves with places that may be wrong."""
    loads = tomllib.loads
    monkeypatch.setattr(toml.tomllib, "loads", lambda text: {**loads(text), "more": 1})
    source, problems = read("a = 1")
    assert source is None
    assert [problem.code for problem in problems] == ["SR001"]
