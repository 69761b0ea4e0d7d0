"""Coverage-guided fuzzing of the reader with atheris: ``make fuzz`` (it brings its own environment).

The claim is one: reading never raises, and a document exists exactly if there is no error. The seeds are the corpus.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["schemarouter"]):
    from schemarouter.document.reader import detect_format, read_policy

    # Passes are imported when they first run, and what explains errors at the first error.
    read_policy("version: 2\nrule: *a\nname: [b].c\n", "policy.yaml", "yaml")
    read_policy("version = 2\nrule = 0x1\n", "policy.toml", "toml")

CORPUS = Path(__file__).parents[1] / "corpus"


def fuzz(raw: bytes) -> None:
    """The first byte chooses the format: odd for TOML, even for YAML, and a zero leaves it to the text."""
    choice, text = raw[:1], raw[1:]
    name = "<stdin>" if choice == b"\0" else "policy.toml" if choice and choice[0] % 2 else "policy.yaml"
    result = read_policy(text, name, detect_format(name, text))
    errors = [finding for finding in result.findings if finding.severity == "error"]
    if (result.document is None) != bool(errors):
        raise AssertionError("a document beside an error, or neither of the two")


def write_seeds(folder: Path) -> None:
    """The corpus as seeds, each with the byte that chooses its format."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, path in enumerate(sorted(CORPUS.rglob("*"))):
        if path.suffix in {".yaml", ".toml"}:
            choice = b"\x01" if path.suffix == ".toml" else b"\x02"
            (folder / f"seed-{number}").write_bytes(choice + path.read_bytes())


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--seeds":
        write_seeds(Path(sys.argv[2]))
    else:
        atheris.Setup(sys.argv, fuzz)
        atheris.Fuzz()
