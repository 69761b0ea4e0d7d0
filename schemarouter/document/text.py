"""The pass "text": bytes to characters, and the characters that no policy file may hold.

Nothing here knows a format; the pass "tree" begins by choosing one. What changes how a reader sees the text (a second line end, a bidirectional control, a
second byte order mark) is refused, in comments too: what a reviewer sees must be what the parser reads.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from schemarouter.document.limits import MAX_BYTES, MAX_LINES, MAX_LISTED
from schemarouter.document.positions import Lines
from schemarouter.document.source import Format, Source
from schemarouter.model.diagnostic import Problem, Span

START = Span(1, 1, 1, 1)
BOM = "\ufeff"

#: C0 without tab, LF and CR; DEL; C1 with NEL; the two Unicode line ends; bidirectional controls; an inner byte
#: order mark; surrogates; the two non-characters that YAML forbids.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
#: Most files are ASCII, for which this is several times faster.
_HIDDEN_ASCII = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_UTF_BOMS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_BY_CODE = {
    0x00: "a NUL character",
    0x85: "a next-line character (U+0085)",
    0x2028: "a line separator (U+2028)",
    0x2029: "a paragraph separator (U+2029)",
    0xFEFF: "a byte order mark (U+FEFF) inside the text",
}


def decode(raw: bytes | str) -> tuple[str | None, list[Problem]]:
    """The text of a policy file without its byte order mark; ``None`` with problems where it cannot be read.

    Problems: SR010 for a file past the size limit, SR001 for what is not UTF-8.
    """
    if len(raw) > MAX_BYTES:
        return None, [_too_large()]
    if isinstance(raw, str):
        text = raw.removeprefix(BOM)
        if not text.isascii() and len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
            return None, [_too_large()]
        return text, []
    for mark, name in _UTF_BOMS:
        if raw.startswith(mark):
            return None, [Problem("SR001", f"the file is {name}, not UTF-8", START, help="save it as UTF-8")]
    if raw[:4].count(0) >= 2:
        return None, [Problem("SR001", "the file looks like UTF-16 or UTF-32", START, help="save it as UTF-8")]
    try:
        return raw.decode("utf-8").removeprefix(BOM), []
    except UnicodeDecodeError as error:
        return None, [_not_utf8(raw, error)]


def _too_large() -> Problem:
    return Problem(
        "SR010",
        f"the file is larger than {MAX_BYTES // (1024 * 1024)} MiB",
        START,
        help="split the policy, or cover many operations by one pattern",
    )


def _not_utf8(raw: bytes, error: UnicodeDecodeError) -> Problem:
    before = raw[: error.start].decode("utf-8").removeprefix(BOM)
    message = f"byte 0x{raw[error.start]:02x} is not UTF-8 here"
    advice = "save the file as UTF-8; it seems to be in another encoding"
    line, column = Lines(before).position(len(before))
    return Problem("SR001", message, Span(line, column, line, column + 1), help=advice)


def hidden_characters(text: str, lines: Lines) -> tuple[str, list[Problem]]:
    """SR009 for every character that hides or breaks something, and the text with a harmless one in its place.

    The replacement has the same length, so that the passes behind this one can go on with true positions.
    """
    pattern = _HIDDEN_ASCII if text.isascii() else _HIDDEN
    problems: list[Problem] = []
    for count, match in enumerate(pattern.finditer(text)):
        if count == MAX_LISTED:
            break
        problems.append(_hidden(match.group(), lines.span(match.start(), match.end())))
    return (pattern.sub("\ufffd", text) if problems else text), problems


def _hidden(character: str, span: Span) -> Problem:
    code = ord(character)
    if code in _BY_CODE:
        what = _BY_CODE[code]
    elif 0xD800 <= code <= 0xDFFF:
        what = f"a lone surrogate (U+{code:04X})"
    elif code >= 0x202A:
        what = f"a hidden character (U+{code:04X} {unicodedata.name(character, 'non-character').lower()})"
    else:
        what = f"a control character (U+{code:04X})"
    if code in (0x85, 0x2028, 0x2029):
        advice = "some readers start a new line here and some do not; write an ordinary line end or remove it"
    elif 0x202A <= code <= 0x2069:
        advice = "it makes the text look different from what is read; remove it"
    else:
        advice = 'remove it; inside double quotes it can be written as an escape, such as `"\\u0000"`'
    return Problem("SR009", f"the text contains {what}", span, help=advice)


class Text(NamedTuple):
    """A text that can be parsed: as it was written, and with every hidden character replaced by a harmless one."""

    written: str
    clean: str
    lines: Lines
    #: Whether it holds a NUL character: a binary file, whose syntax errors are no news.
    binary: bool


def read_text(raw: bytes | str) -> tuple[Text | None, list[Problem]]:
    """The pass "text". Never raises for any input.

    ``None`` if the bytes are no text, or too much of it. Beside a text there may be errors as well: what is hidden in
    it (SR009).
    """
    text, problems = decode(raw)
    if text is None:
        return None, problems
    lines = Lines(text)
    if lines.count > MAX_LINES:
        advice = "split the policy, or cover many operations by one pattern"
        return None, [Problem("SR010", f"the file has more than {MAX_LINES} lines", START, help=advice)]
    clean, hidden = hidden_characters(text, lines)
    return Text(text, clean, lines, bool(hidden) and "\0" in text), hidden


def read_tree(
    text: Text,
    path: str,
    format: Format,  # noqa: A002 - the word that the whole package uses
) -> tuple[Source | None, list[Problem]]:
    """The pass "tree". Never raises for any input.

    The source is ``None`` if the text cannot be parsed to its end. There may be errors beside a source as well (a
    duplicate key): its data serves to find further errors only. Where an error of this pass stands at a path, the data
    has a stand-in there, and nothing further needs to be said.
    """
    if format == "toml":
        from schemarouter.document.toml import read_toml as read
    else:
        from schemarouter.document.yaml import read_yaml as read
    source, problems = read(text.clean, path, text.lines)
    if source is not None:
        source.text = text.written
    elif text.binary:
        problems = [problem for problem in problems if problem.code != "SR001"]
    return source, problems


def read_source(
    raw: bytes | str,
    path: str,
    format: Format,  # noqa: A002 - the word that the whole package uses
) -> tuple[Source | None, list[Problem]]:
    """The passes "text" and "tree", one after the other; there is an error among the problems if the source is ``None``."""
    text, hidden = read_text(raw)
    if text is None:
        return None, hidden
    source, problems = read_tree(text, path, format)
    return source, hidden + problems
