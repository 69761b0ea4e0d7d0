"""One side: a process in its own environment that prepares cases and times rounds of them when it is told to.

``python -I worker.py SIDE`` reads one JSON request a line and answers each with one line:
``{"do": "prepare", "case", "arguments", "seconds"}``, ``{"do": "round", "id"}``, ``{"do": "value", "case", "arguments"}``,
``{"do": "drop"}``. Nothing of the checkout but this folder can be imported: ``schemarouter`` must be the installed one.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any


def load_package() -> None:
    """Make this folder importable as ``benchmarks``, without what lies beside it."""
    here = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location(
        "benchmarks", here / "__init__.py", submodule_search_locations=[str(here)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["benchmarks"] = module
    spec.loader.exec_module(module)


class Worker:
    """The cases of one side, and those that are prepared."""

    def __init__(self, side: str) -> None:
        self.module: Any = importlib.import_module(f"benchmarks.sides.{side}")
        self.timing: Any = importlib.import_module("benchmarks.timing")
        self.prepared: dict[str, tuple[Any, int]] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what is asked for."""
        do = request["do"]
        if do == "prepare":
            case = self.module.CASES[request["case"]](**request["arguments"])
            self.timing.settle()
            loops = self.timing.calibrate(case, request["seconds"])
            self.prepared[request["id"]] = (case, loops)
            return {"loops": loops}
        if do == "round":
            case, loops = self.prepared[request["id"]]
            gc.collect()
            return {"seconds": case(loops) / loops}
        if do == "value":
            return {"value": self.module.VALUES[request["case"]](**request["arguments"])}
        if do == "drop":
            self.prepared.clear()
            gc.unfreeze()
            gc.collect()
            return {}
        raise ValueError(f"unknown request {do!r}")


def main() -> None:
    """Answer until standard input ends."""
    load_package()
    worker = Worker(sys.argv[1])
    out = sys.stdout
    sys.stdout = sys.stderr  # what a tool prints must not get between the answers
    for line in sys.stdin:
        print(json.dumps(worker.answer(json.loads(line))), file=out, flush=True)


if __name__ == "__main__":
    main()
