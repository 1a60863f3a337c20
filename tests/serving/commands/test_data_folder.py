"""Which folder `--data` means: that of the service or the arena itself, or the one in a folder of `fudaba up`."""

from __future__ import annotations

from pathlib import Path

from fudaba_serving.commands.data_folder import ARENA, SERVICE, part_of


def test_a_folder_of_up_stands_for_the_part_that_is_asked_for_and_every_other_one_for_itself(tmp_path: Path) -> None:
    of_up, own = tmp_path / "up", tmp_path / "own"
    for part in (SERVICE, ARENA):
        (of_up / part).mkdir(parents=True)
        assert part_of(of_up / part, part) == of_up / part
    (own / "archive").mkdir(parents=True)
    assert (part_of(of_up, ARENA), part_of(of_up, SERVICE)) == (of_up / "arena", of_up / "service")
    assert part_of(own, ARENA) == own
    (own / "service").mkdir()
    assert part_of(own, SERVICE) == own
    assert part_of(tmp_path / "not there yet", ARENA) == tmp_path / "not there yet"
