"""The table of attribute classes."""

from __future__ import annotations

from itertools import product

import pytest

from schemarouter.match.classes import ALL_CLASSES, CLASS_COUNT, CLASSES, class_index, class_mask

THREE = (None, False, True)


def test_the_table_and_its_numbers_agree() -> None:
    assert len(set(CLASSES)) == CLASS_COUNT == 18
    assert [class_index(*row) for row in CLASSES] == list(range(18))
    assert class_index(True, False, None) == 9 + 3


@pytest.mark.parametrize("predicates", list(product(THREE, repeat=4)))
def test_a_mask_holds_the_classes_that_the_predicates_accept(predicates: tuple[bool | None, ...]) -> None:
    remote, read_only, destructive, unclassified = predicates
    mask = class_mask(remote, read_only, destructive, unclassified)
    assert mask <= ALL_CLASSES
    for row in CLASSES:
        accepted = all(
            wanted is None or wanted is actual
            for wanted, actual in zip(predicates, (*row, row[1] is None), strict=True)
        )
        assert bool(mask >> class_index(*row) & 1) is accepted


def test_contradictory_predicates_leave_nothing() -> None:
    assert class_mask(read_only=True, unclassified=True) == 0


@pytest.mark.parametrize("wrong", [1, 0, "false", 1.0, "", [], object()])
def test_only_real_booleans_are_taken(wrong: object) -> None:
    for position in range(3):
        row: list[object] = [False, None, None]
        row[position] = wrong
        with pytest.raises(TypeError):
            class_index(*row)  # type: ignore[arg-type]
    for name in ("remote", "read_only", "destructive", "unclassified"):
        with pytest.raises(TypeError, match=name):
            class_mask(**{name: wrong})  # type: ignore[arg-type]


def test_remote_is_never_unknown() -> None:
    with pytest.raises(TypeError):
        class_index(None, None, None)  # type: ignore[arg-type]
