"""Argument conditions (SPEC 2.6), said plainly: three-valued, with ``None`` for "indeterminate"."""

import math
from fnmatch import fnmatchcase
from unicodedata import category, normalize
from urllib.parse import urlsplit

NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
ABOUT = {
    **dict.fromkeys(NUMBERS, "number"),
    **dict.fromkeys(("minLength", "maxLength", "like", "under", "host"), "string"),
    **dict.fromkeys(("items", "contains", "minItems", "maxItems"), "array"),
    **dict.fromkeys(("properties", "required", "additionalProperties"), "object"),
}
NOTHING = object()


def kleene_and(answers):
    """No if any says no, else indeterminate if any is, else yes."""
    answers = list(answers)
    return False if False in answers else None if None in answers else True


def kleene_not(answer):
    """Yes and no change places."""
    return None if answer is None else not answer


def kleene_or(answers):
    """By De Morgan."""
    return kleene_not(kleene_and(kleene_not(answer) for answer in answers))


def conditions_hold(conditions, arguments):
    """One answer for each condition."""
    for name, condition in conditions.items():
        if arguments is None:
            yield None
            continue
        steps = [name] if not name.startswith("/") else name.split("/")[1:]
        if name.startswith("/"):
            steps = [step.replace("~1", "/").replace("~0", "~") for step in steps]
        yield follow(steps, arguments, condition)


def follow(steps, value, condition):
    """Go along a JSON Pointer and ask the condition there."""
    if not steps:
        return holds(condition, value, inside=False)
    if kind(value) == "object":
        child = value.get(steps[0], NOTHING)
    elif kind(value) == "array" and steps[0] in map(str, range(len(value) + 1000)):
        child = value[int(steps[0])] if int(steps[0]) < len(value) else NOTHING
    else:
        return None
    return condition.get("absent") if child is NOTHING else follow(steps[1:], child, condition)


def kind(value):
    """The JSON type, numbers as one; ``None`` for what JSON does not have."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number" if math.isfinite(value) else None
    return {type(None): "null", str: "string", list: "array", dict: "object"}.get(type(value))


def is_type(value, name):
    """Whether the value is of a JSON Schema type."""
    return kind(value) == "number" and value == int(value) if name == "integer" else kind(value) == name


def is_json(value):
    """Whether the value and everything in it is JSON, finite numbers only."""
    parts = value if kind(value) == "array" else value.values() if kind(value) == "object" else []
    return kind(value) is not None and all(map(is_json, parts))


def equal(one, other):
    """JSON equality of JSON values."""
    if kind(one) != kind(other):
        return False
    if kind(one) == "array":
        return len(one) == len(other) and all(map(equal, one, other))
    if kind(one) == "object":
        return one.keys() == other.keys() and all(equal(one[name], other[name]) for name in one)
    return one == other


def holds(condition, value, inside):
    """Whether a value that is there satisfies a condition; ``inside`` ``anyOf`` or ``not``, ``type`` is an ordinary test."""
    if kind(value) is None:
        return None
    return kleene_and(keyword_holds(keyword, condition, value, inside) for keyword in condition if keyword != "absent")


def keyword_holds(keyword, condition, value, inside):
    """One keyword."""
    operand = condition[keyword]
    types = condition.get("type", [])
    types = [types] if isinstance(types, str) else types
    if keyword == "type":
        return True if any(is_type(value, name) for name in types) else (False if inside else None)
    if keyword in ("const", "enum"):
        members = [operand] if keyword == "const" else operand
        if kind(value) not in map(kind, members) or not is_json(value):
            return None
        return any(equal(value, member) for member in members)
    if keyword == "not":
        return kleene_not(holds(operand, value, inside=True))
    if keyword == "anyOf":
        return kleene_or(holds(one, value, inside=True) for one in operand)
    if keyword == "allOf":
        return kleene_and(holds(one, value, inside) for one in operand)
    if kind(value) != ABOUT[keyword]:
        listed = {"number" if name == "integer" else name for name in types}
        return True if kind(value) in listed else None
    if keyword in NUMBERS:
        return {
            "minimum": value >= operand,
            "maximum": value <= operand,
            "exclusiveMinimum": value > operand,
            "exclusiveMaximum": value < operand,
        }[keyword]
    if keyword in ("minLength", "minItems"):
        return len(value) >= operand
    if keyword in ("maxLength", "maxItems"):
        return len(value) <= operand
    if keyword == "items":
        return kleene_and(holds(operand, item, inside) for item in value)
    if keyword == "contains":
        return kleene_or(holds(operand, item, inside) for item in value)
    if keyword == "required":
        return all(name in value for name in operand)
    if keyword == "additionalProperties":
        return all(name in condition.get("properties", {}) for name in value)
    if keyword == "properties":
        return kleene_and(
            holds(one, value[name], inside) if name in value else one.get("absent") for name, one in operand.items()
        )
    listed = [operand] if isinstance(operand, str) else operand
    if keyword == "like":
        return any(fnmatchcase(value, pattern) for pattern in listed)
    return under(value, listed) if keyword == "under" else host(value, listed)


def hidden(text):
    """Whether something in the text cannot be seen: controls, formats, line separators, surrogates."""
    return any(category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") for character in text)


def under(value, folders):
    """Lexically equal to, or inside, one of the folders; indeterminate if not plainly an absolute path."""
    if not value.startswith("/") or value.startswith("//"):
        return None
    folded = normalize("NFKC", value)
    for text in (value, folded):
        if hidden(text) or "\\" in text or "%" in text or len(text.split("/")) != len(value.split("/")):
            return None
        if any(part.strip() == ".." or part.split(";")[0].strip() == ".." for part in text.split("/")):
            return None
    answers = set()
    for text in (value, normalize("NFC", value)):
        parts = segments(text)
        answers.add(any(parts[: len(segments(folder))] == segments(folder) for folder in folders))
    return answers.pop() if len(answers) == 1 else None


def segments(path):
    return [part for part in path.split("/") if part not in ("", ".")]


def host(value, patterns):
    """The host of a plain http(s) URL; indeterminate if it is not plain."""
    if hidden(value) or value.split() != [value] or "\\" in value or "://" not in value:
        return None
    scheme, _, rest = value.partition("://")
    authority = rest.partition("/")[0]
    if scheme.lower() not in ("http", "https") or "@" in authority or "[" in authority or "]" in authority:
        return None
    authority = authority.partition("?")[0].partition("#")[0]
    name, colon, port = authority.partition(":")
    if colon and not (port.isascii() and port.isdigit() and len(port) < 6 and 0 < int(port) < 65536):
        return None
    labels = name.lower().split(".")
    for label in labels:
        letters = label.replace("-", "").replace("_", "")
        if not 0 < len(label) < 64 or label[0] == "-" or label[-1] == "-":
            return None
        if letters and not (letters.isascii() and letters.isalnum()):
            return None
    last = labels[-1]
    looks_like_address = last.isdigit() or (last[:2] == "0x" and all(digit in "0123456789abcdef" for digit in last[2:]))
    if looks_like_address and not (len(labels) == 4 and all(label in map(str, range(256)) for label in labels)):
        return None
    if len(name) > 253:
        return None
    assert urlsplit(value).hostname == name.lower()
    return any(fnmatchcase(name.lower(), pattern) for pattern in patterns)
