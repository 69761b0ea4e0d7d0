"""The 18 attribute classes of a call (SPEC 1 and 2.3): remote 2 x read_only 3 x destructive 3.

Policy sees nothing of a call but its operation, its arguments and its class, so what is known about an operation is
a table of 18 entries, and a set of classes is an integer of 18 bits. Standard library only.
"""

from __future__ import annotations

#: Row ``class_index(*row)`` of the table is ``row``: (remote, read_only, destructive).
CLASSES: tuple[tuple[bool, bool | None, bool | None], ...] = tuple(
    (remote, read_only, destructive)
    for remote in (False, True)
    for read_only in (None, False, True)
    for destructive in (None, False, True)
)
CLASS_COUNT = len(CLASSES)
#: The mask of a rule without predicates.
ALL_CLASSES = (1 << CLASS_COUNT) - 1


def class_index(remote: bool, read_only: bool | None, destructive: bool | None) -> int:
    """Number of a class, from 0 to 17.

    Raises ``TypeError`` for anything but real booleans (and ``None`` for the last two): ``1`` is not ``True`` here.
    """
    if remote is True:
        index = 9
    elif remote is False:
        index = 0
    else:
        raise TypeError("remote must be True or False")
    if read_only is True:
        index += 6
    elif read_only is False:
        index += 3
    elif read_only is not None:
        raise TypeError("read_only must be True, False or None")
    if destructive is True:
        return index + 2
    if destructive is False:
        return index + 1
    if destructive is not None:
        raise TypeError("destructive must be True, False or None")
    return index


def class_mask(
    remote: bool | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
    unclassified: bool | None = None,
) -> int:
    """The classes that predicates leave, as a bit mask: bit ``class_index(...)`` is set for each class they accept.

    ``None`` is a predicate that is not set. Contradictory predicates give 0. Raises ``TypeError`` for anything but
    real booleans and ``None``.
    """
    for name, value in (
        ("remote", remote),
        ("read_only", read_only),
        ("destructive", destructive),
        ("unclassified", unclassified),
    ):
        if value is not None and value is not True and value is not False:
            raise TypeError(f"{name} must be True, False or None")
    mask = 0
    for index, (is_remote, is_read_only, is_destructive) in enumerate(CLASSES):
        if (
            (remote is None or remote is is_remote)
            and (read_only is None or read_only is is_read_only)
            and (destructive is None or destructive is is_destructive)
            and (unclassified is None or unclassified is (is_read_only is None))
        ):
            mask |= 1 << index
    return mask
