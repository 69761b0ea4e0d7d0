"""Ways to damage a file: each takes the file, another one, and a number that decides where."""

from __future__ import annotations

MUTATIONS = (
    "flip",
    "insert",
    "delete",
    "swap-lines",
    "repeat-line",
    "drop-line",
    "indent",
    "dedent",
    "splice",
    "quote",
)
_INSERTED = [
    *(b"\t", b" ", b"\n", b"\r", b":", b": ", b"- ", b"[", b"]", b"{", b"}", b'"', b"'", b"#", b"&a ", b"*a", b"!x "),
    *(b"---\n", b"...\n", b"<<: ", b"? ", b"|\n", b"%", b"=", b"[[", b"]]", b"\x00", b"\xff", b"\xef\xbb\xbf"),
    *("\u2028".encode(), "\u202e".encode(), "\u200b".encode(), b"\\", b"~", b"0x10", b"010", b"1:30", b"yes", b".inf"),
]


def mutate(raw: bytes, other: bytes, mutation: str, number: int) -> bytes:
    """``raw`` with one damage."""
    at = number % (len(raw) + 1)
    lines = raw.splitlines(keepends=True) or [b""]
    first, second = number % len(lines), (number >> 8) % len(lines)
    match mutation:
        case "flip" if raw:
            at = number % len(raw)
            return raw[:at] + bytes([raw[at] ^ (1 << (number >> 16) % 8)]) + raw[at + 1 :]
        case "insert":
            return raw[:at] + _INSERTED[(number >> 16) % len(_INSERTED)] + raw[at:]
        case "delete":
            return raw[:at] + raw[at + 1 + (number >> 16) % 8 :]
        case "swap-lines":
            lines[first], lines[second] = lines[second], lines[first]
        case "repeat-line":
            lines.insert(second, lines[first])
        case "drop-line":
            del lines[first]
        case "indent":
            lines[first] = b" " * (1 + (number >> 16) % 4) + lines[first]
        case "dedent":
            lines[first] = lines[first].removeprefix(b" " * (1 + (number >> 16) % 4))
        case "splice":
            cut = (number >> 8) % (len(other) + 1)
            return raw[:at] + other[cut:]
        case "quote":
            return raw.replace(b'"', b"'", 1 + (number >> 16) % 3)
    return b"".join(lines)
