"""``python -m schemarouter``: the command line.

Started in a checkout, ``schemarouter`` is the checkout's folder, and the command line has to be the one beside it, not
one that happens to be installed: two versions would be mixed otherwise.
"""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def _use_checkout() -> None:
    checkout = Path(__file__).resolve().parent.parent
    folder = checkout / "cli"
    if "schemarouter_cli" in sys.modules or not (checkout / "pyproject.toml").is_file():
        return
    spec = spec_from_file_location("schemarouter_cli", folder / "__init__.py", submodule_search_locations=[str(folder)])
    if spec is None or spec.loader is None or not (folder / "__main__.py").is_file():
        return
    module = module_from_spec(spec)
    sys.modules["schemarouter_cli"] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    _use_checkout()
    from schemarouter_cli.__main__ import main

    main()
