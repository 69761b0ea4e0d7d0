"""Entry point of the ``schemarouter`` command. Answers ``--version`` before it imports anything heavy."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    raise SystemExit("the command line is being built")


if __name__ == "__main__":
    main()
