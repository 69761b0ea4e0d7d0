"""Every limit of importing an OpenAPI document and of calling what it describes, in one table.

GitHub's document (13 MB, 1,223 operations) takes less than a tenth of most of them; a hostile document is refused
in about the time that an honest one of the same size takes.
"""

from __future__ import annotations

from typing import Final

#: Bytes of one file, and of all files of a document together.
MAX_FILE_BYTES: Final = 32 * 1024 * 1024
MAX_TOTAL_BYTES: Final = 64 * 1024 * 1024
#: Files of a document.
MAX_FILES: Final = 2_000
#: Brackets and commas of a JSON text, counted before it is parsed; nodes of a YAML text, those of aliases included.
MAX_VALUES: Final = 2_000_000
#: Objects and arrays inside each other, in YAML. JSON is bounded by the interpreter's recursion limit.
MAX_YAML_DEPTH: Final = 200
#: Nodes that the aliases of one YAML text may repeat.
MAX_ALIAS_NODES: Final = 100_000
#: References that lead from one to the next.
MAX_CHAIN: Final = 64
#: Characters of one JSON pointer or file reference.
MAX_REFERENCE: Final = 4_096
#: Operations of a document.
MAX_OPERATIONS: Final = 20_000
#: Parameters of one operation.
MAX_PARAMETERS: Final = 1_000
#: Schemas inside each other before the inner one moves into ``$defs``.
MAX_NESTING: Final = 16
#: Levels of a ``default``, ``const`` or member of an ``enum``.
MAX_VALUE_DEPTH: Final = 8
#: Values in the schema of one operation, and in those of all operations together.
MAX_SCHEMA_VALUES: Final = 90_000
MAX_CONTRACT_VALUES: Final = 1_000_000
#: Notes that are kept one by one.
MAX_NOTES: Final = 1_000
#: Characters of a description.
MAX_DESCRIPTION: Final = 20_000
#: Characters and segments of a path.
MAX_PATH: Final = 2_048
MAX_SEGMENTS: Final = 64
#: Comparisons of paths that look alike, in one document.
MAX_COMPARISONS: Final = 2_000_000
