"""The compiled artifact: an evaluation graph as a JSON file (SPEC 10). Standard library only.

The file is one JSON object, one member a line: the line ``"policy":`` holds, to the byte, the canonical JSON that the
digest covers, so that verifying it costs one hash. A file that was laid out anew is canonicalised first. Positions are
outside the digest. Nothing is trusted: every value is checked, and the index is built from the rules.

The digest detects accidents, not forgers: whoever can write the file can write its digest. ``expect_digest`` pins one.
"""

from __future__ import annotations

import gc
import json

from schemarouter.compiler.content import read_content
from schemarouter.compiler.decide import one_line
from schemarouter.compiler.digest import FORMAT_VERSION as CONTENT_VERSION
from schemarouter.compiler.digest import canonical, digest_of_text, semantic
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.errors import ArtifactError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from schemarouter.compiler.records import GraphRule

#: What the file says it is. The version counts layouts of the file, not of what a policy can say.
FORMAT = "schemarouter.graph"
FORMAT_VERSION = 1
#: Bytes; a policy of 100,000 rules has about 15 million.
SIZE_LIMIT = 256 * 1024 * 1024

_POLICY = '"policy":'
_COMPILE_AGAIN = "compile the policy again with `schemarouter compile`"


def dump_artifact(graph: EvaluationGraph) -> bytes:
    """``graph`` as the bytes of an artifact: equal graphs from the same places give equal bytes."""
    members = {
        "format": canonical(FORMAT),
        "version": canonical(FORMAT_VERSION),
        "digest": canonical(graph.digest),
        "policy": canonical(semantic(graph.content)),
        "locations": canonical(_dump_locations(graph.rules)),
    }
    return ("{\n" + ",\n".join(f'"{name}":{text}' for name, text in members.items()) + "\n}\n").encode("ascii")


def load_artifact(data: bytes | str, expect_digest: str | None = None) -> EvaluationGraph:
    """Read what :func:`dump_artifact` wrote.

    Raises :class:`~schemarouter.errors.ArtifactError`, and nothing else, for whatever is wrong with ``data``: not an
    artifact, of a newer version, damaged, or with another digest than ``expect_digest``.
    """
    collecting = gc.isenabled()
    gc.disable()  # many small objects, none of them garbage: collecting doubles the time
    try:
        return _load(data, expect_digest)
    except ArtifactError:
        raise
    except RecursionError:
        problem = "it is nested too deeply"
    except Exception as error:  # noqa: BLE001 - whatever the bytes are, there is one way to refuse them
        problem = one_line(str(error)) or type(error).__name__
    finally:
        if collecting:
            gc.enable()
    raise ArtifactError(f"the artifact cannot be read: {problem}", help=_COMPILE_AGAIN) from None


def _load(data: bytes | str, expect_digest: str | None) -> EvaluationGraph:
    if len(data) > SIZE_LIMIT:
        raise ValueError(f"it has more than {SIZE_LIMIT} bytes")
    header, policy, text = _parse(data if isinstance(data, str) else str(data, "utf-8"))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError("it is no compiled policy")
    _check_version(header.get("version"), FORMAT_VERSION)
    if header.keys() != {"format", "version", "digest", "policy", "locations"}:
        raise ValueError("its members are not those of a compiled policy")
    if isinstance(policy, dict):
        _check_version(policy.get("version"), CONTENT_VERSION)
    digest = header["digest"]
    if digest != digest_of_text(text):
        raise ArtifactError("the artifact does not match its digest: it was damaged or changed", help=_COMPILE_AGAIN)
    if expect_digest is not None and digest != expect_digest:
        raise ArtifactError(
            f"the artifact is not the one that is expected: its digest is `{digest}`",
            help="review the new policy, then change the expected digest",
        )
    return EvaluationGraph(read_content(policy, header["locations"]))


def _check_version(version: object, supported: int) -> None:
    if type(version) is not int or version < 1:
        raise ValueError("its version is no positive integer")
    if version > supported:
        raise ArtifactError(
            f"the artifact has format version {version}, and this release reads up to {supported}",
            help="upgrade schemarouter, or compile the policy again with this release",
        )


def _parse(text: str) -> tuple[object, object, str]:
    """The members of the file, its policy, and the canonical text of exactly that policy.

    In the layout that :func:`dump_artifact` writes, the text of the policy is parsed on its own: what is hashed is,
    byte for byte, what is read.
    """
    lines = text.split("\n")
    if len(lines) == 8 and lines[4].startswith(_POLICY) and lines[4].endswith(","):
        policy_text = lines[4][len(_POLICY) : -1]
        lines[4] = _POLICY + "null,"
        return _json("\n".join(lines)), _json(policy_text), policy_text
    header = _json(text)
    policy = header.get("policy") if isinstance(header, dict) else None
    return header, policy, canonical(policy)


def _json(text: str) -> object:
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_constant)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key occurs twice")
    return members


def _constant(text: str) -> NoReturn:
    raise ValueError(f"`{text}` is no number of JSON")


def _dump_locations(rules: tuple[GraphRule, ...]) -> object:
    """One path, and line and column of each rule in turn: a policy comes from one file, or from none."""
    places = [rule.location for rule in rules if rule.location is not None]
    if not places or len(places) != len(rules):
        return None
    return {"path": places[0].path, "rules": [one for place in places for one in place[1:]]}
