"""The definition of a whole log, and that the verification says the same for every way of cutting one up.

A log with a head is whole exactly if its lines are those that were written, up to the head at least. Without a head its lines may also
be the first ones of those.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemarouter.audit.log import DecisionLog
from schemarouter.audit.verify import verify_log

KEY = b"a key of the test, long enough"
COUNT = 6


def _written() -> tuple[list[bytes], object]:
    with TemporaryDirectory() as folder:
        log = DecisionLog(Path(folder) / "log", key=KEY)
        for number in range(COUNT):
            log.append("gap", {"lost": number + 1})
        return (Path(folder) / "log").read_bytes().splitlines(keepends=True), log.head()


LINES, HEAD = _written()
#: Orders of lines, with repetitions and omissions; -1 is a line that was edited, -2 one of no log.
ARRANGEMENTS = st.one_of(
    st.lists(st.integers(-2, COUNT), max_size=COUNT + 2),
    st.permutations(range(COUNT + 1)).map(list),
    st.integers(0, COUNT + 1).map(lambda length: list(range(length))),
)


def _text(arrangement: list[int]) -> bytes:
    other = {-1: LINES[2].replace(b'"lost":2', b'"lost":9'), -2: b"no record\n"}
    return b"".join(other[place] if place < 0 else LINES[place] for place in arrangement)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)
@given(arrangement=ARRANGEMENTS)
def test_a_log_is_whole_if_and_only_if_its_lines_are_those_that_were_written(
    arrangement: list[int], tmp_path: Path
) -> None:
    (tmp_path / "log").write_bytes(_text(arrangement))
    first_ones = bool(arrangement) and arrangement == list(range(len(arrangement)))
    found = verify_log(str(tmp_path / "log"), key=KEY)
    assert (found.breaks == ()) is first_ones
    with_head = verify_log(str(tmp_path / "log"), key=KEY, head=HEAD)  # type: ignore[arg-type]
    assert (with_head.breaks == ()) is (arrangement == list(range(COUNT + 1)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(data=st.data())
def test_no_change_of_bytes_goes_unseen(data: st.DataObject, tmp_path: Path) -> None:
    whole = b"".join(LINES)
    start = data.draw(st.integers(0, len(whole) - 1))
    length = data.draw(st.integers(0, 40))
    instead = data.draw(st.binary(max_size=40))
    changed = whole[:start] + instead + whole[start + length :]
    (tmp_path / "log").write_bytes(changed)
    found = verify_log(str(tmp_path / "log"), key=KEY, head=HEAD)  # type: ignore[arg-type]
    kept = changed.startswith(whole)  # and then only the start of a line that was not finished may follow
    unended = changed == whole[:-1]  # every byte of every record: a writer may die before it ends its line
    assert (found.breaks == ()) is (changed == whole or unended or (kept and found.torn == 1))


def test_an_empty_line_anywhere_is_seen(tmp_path: Path) -> None:
    for place in range(len(LINES) + 1):
        (tmp_path / "log").write_bytes(b"".join([*LINES[:place], b"\n", *LINES[place:]]))
        found = verify_log(str(tmp_path / "log"), key=KEY, head=HEAD)  # type: ignore[arg-type]
        assert [one.kind for one in found.breaks] == ["unreadable"], place


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100)
@given(cuts=st.lists(st.integers(1, 400), max_size=5))
def test_whatever_a_dying_writer_leaves_the_next_one_goes_on_and_it_is_told(cuts: list[int], tmp_path: Path) -> None:
    """Each cut leaves that many bytes of a record that was being written."""
    path = tmp_path / "log"
    path.unlink(missing_ok=True)
    log = DecisionLog(path, key=KEY)
    log.append("gap", {"lost": 1})
    torn = 0
    for cut in cuts:
        before = path.read_bytes()
        log.append("gap", {"lost": 1})
        added = path.read_bytes()[len(before) :]
        part = added[: min(cut, len(added) - 1)]
        path.write_bytes(before + part)
        assert verify_log(str(path), key=KEY).breaks == ()
        log = DecisionLog(path, key=KEY)
        torn += len(part) < len(added) - 1  # else the record is whole but for its end, and counts
        found = verify_log(str(path), key=KEY)
        assert (found.breaks, found.torn) == ((), torn)
