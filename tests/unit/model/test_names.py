"""Which names are legal (SPEC 1)."""

import unicodedata

import pytest

from schemarouter.model.names import HIDDEN, name_problem


@pytest.mark.parametrize("name", ["jobs", "repos/delete", "two words", "a.b.c", "größe", "作成", "*", "[!a]*", "😀"])
def test_names_as_they_really_are(name):
    assert name_problem(name) is None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "is empty"),
        (" a", "has leading or trailing white space"),
        ("a\u3000", "has leading or trailing white space"),
        ("a\nb", "holds the hidden character U+000A at position 2"),
        ("a\x00", "holds the hidden character U+0000 at position 2"),
        ("\ud800", "holds the hidden character U+D800 at position 1"),
        ("a\u202eb", "holds the hidden character U+202E at position 2"),
        ("a\u200bb", "holds the hidden character U+200B at position 2"),
        ("a\ufff9b", "holds the hidden character U+FFF9 at position 2"),
        ("e\u0301", "is not in Unicode normalization form NFC"),
        ("\u212b", "is not in Unicode normalization form NFC"),
    ],
)
def test_names_that_are_refused(name, problem):
    assert name_problem(name) == problem


def test_nothing_that_is_a_control_or_a_separator_is_missed():
    """Every control, surrogate, line and paragraph separator of Unicode; format characters but those that are seen."""
    seen = set("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
    for code in range(0x110000):
        character = chr(code)
        category = unicodedata.category(character)
        if category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and character not in seen):
            shown = 0x13430 <= code <= 0x1345F  # Egyptian hieroglyph format controls join what is seen
            assert shown or HIDDEN.match(character), f"U+{code:04X}"
