"""Every limit of reading a policy file, in one table. What is past a limit is refused as SR010.

They leave room for a generated policy of 100,000 rules (about 14 MB and 900,000 nodes) and are low
enough that a hostile file is refused in about the time that an honest file of the same size takes.
"""

from __future__ import annotations

from typing import Final

#: Size of a file in bytes. Positions rely on it being less than 2**28.
MAX_BYTES: Final = 16 * 1024 * 1024
#: Lines of a file.
MAX_LINES: Final = 1_000_000
#: Mappings and lists inside each other.
MAX_DEPTH: Final = 64
#: Keys, scalars, mappings and lists, those that aliases repeat included.
MAX_NODES: Final = 1_000_000
#: Nodes that aliases may add to those that stand in the text.
MAX_ALIAS_NODES: Final = 10_000
#: Aliases in a file.
MAX_ALIASES: Final = 100
#: Length of a key, in code points.
MAX_KEY: Final = 1_024
#: Length of a scalar as written, in code points.
MAX_SCALAR: Final = 65_536
#: Digits of a number as written.
MAX_DIGITS: Final = 400
#: Parts of a dotted TOML key or table header.
MAX_KEY_PARTS: Final = 32
#: Findings of one kind that are listed one by one (hidden characters, unquoted wildcards, duplicate keys).
MAX_LISTED: Final = 50
#: Duplicate keys that are read past in order to find other errors.
MAX_DUPLICATES: Final = 1_000
#: Code points that are read again, in total, in order to go on behind a scalar that needs quotes.
MAX_REREAD: Final = 4 * 1024 * 1024
#: Code points that the second, slow YAML parser is asked about.
MAX_SECOND_OPINION: Final = 16_384
