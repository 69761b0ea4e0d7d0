"""A large OpenAPI document: parsed by the standard library, and imported, listed as a catalog and checked by us."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from benchmarks.timing import Timed, made
from schemarouter.catalog.building import catalog_of
from schemarouter.catalog.file import write_catalog
from schemarouter.lint.check import check_policy
from schemarouter.sources.openapi import load_openapi

#: Operations of GitHub's REST API: with fewer, a small document of that many is made up.
GITHUB = 1_223
_ROOT = Path(__file__).resolve().parents[2]
_FOLDER = tempfile.TemporaryDirectory(prefix="schemarouter-bench-")
_POLICY = (_ROOT / "config" / "examples" / "github-rest.toml").read_text("utf-8")
#: The same as :func:`parsed` and :func:`checked`, for processes of their own.
_PEAK = {
    "parsed": "import json\nwith open(sys.argv[1], encoding='utf-8') as file:\n    found = json.load(file)",
    "checked": """
from schemarouter import catalog_of, write_catalog
from schemarouter.lint.check import check_policy
from schemarouter.sources.openapi import load_openapi
catalog = catalog_of([load_openapi(sys.argv[1], name="github").tool])
found = write_catalog(catalog), check_policy(sys.argv[2], "github-rest.toml", "toml", catalog=catalog)
""",
}
#: Of this memory map alone: what `getrusage` tells includes that of the process that started this one.
_TOLD = "import re, sys\n{}\nprint(re.search(r'VmHWM:\\s*(\\d+) kB', open('/proc/self/status').read())[1])"


@cache
def document(operations: int) -> str:
    """The path of a document; GitHub's own, 13 MB, lies beside the checkout and is no part of it."""
    if operations == GITHUB:
        path = _ROOT.parent / "shared" / "data" / "openapi" / "github-rest.json"
        if not path.exists():
            raise FileNotFoundError(f"{path} is not there: it is data of its own, beside the checkout")
        return str(path)
    path = Path(_FOLDER.name, f"{operations}.json")
    paths = {f"/p{n}": {"get": {"operationId": f"p/{n}", "responses": {}}} for n in range(operations)}
    text = json.dumps({"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": paths})
    path.write_text(text, encoding="utf-8")
    return str(path)


def parsed(path: str) -> object:
    """What ``json.load`` makes of it."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def checked(path: str) -> object:
    """Import, catalog and check in one go."""
    catalog = catalog_of([load_openapi(path, name="github").tool])
    report = check_policy(_POLICY, "github-rest.toml", "toml", catalog=catalog)
    return write_catalog(catalog), report


def document_parsed(operations: int) -> Timed:
    path = document(operations)
    return made(lambda: parsed(path))


def document_checked(operations: int) -> Timed:
    path = document(operations)
    return made(lambda: checked(path))


def document_peak(what: str, operations: int) -> float:
    """The most memory that a process of its own held, in bytes; the interpreter and what is imported included. Linux."""
    command = [sys.executable, "-c", _TOLD.format(_PEAK[what]), document(operations), _POLICY]
    done = subprocess.run(command, capture_output=True, check=True, cwd=_FOLDER.name)
    return int(done.stdout) * 1024.0


CASES = {"document_parsed": document_parsed, "document_checked": document_checked}
VALUES = {"document_peak": document_peak}
