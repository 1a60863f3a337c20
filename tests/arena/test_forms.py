"""Stored values of another release: what a form does not know is left or kept, and a higher form is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from fudaba_arena.forms import BadStored
from fudaba_arena.play.spec import BlockSpec
from fudaba_arena.store.actions import Action
from fudaba_arena.store.challenges import Ended
from fudaba_arena.store.chosen_blocks import ChosenBlock
from fudaba_arena.store.entries import ENTER, EntryChange
from fudaba_arena.store.kept_folders import KeptFolder
from fudaba_arena.submissions.uploads import Announced
from fudaba_arena.tournament.definition import Owned
from fudaba_arena.tournament.games import GameEntry
from fudaba_arena.tournament.ladder import Season

ENTERED = EntryChange(ENTER, 1, "ann", "1", games=("naga",))
SUBMISSION = Announced("s-1", "ann", "of-ann", "bot.tar.gz", 3, "00" * 32, "", 1, 2)
BLOCK: dict[str, Any] = {
    "tournament": "cup", "number": 0, "slot": 0, "attempt": 0, "game": "naga", "options": {}, "connect_seconds": 30,
    "clock": {"move_ms": 1_000}, "matches": [{"match_id": "cup-b0-a", "deal": 0, "bots": ["ann", "ben"]}],
    "seeds": ["00" * 32], "bots": {name: {"name": name, "cwd": "."} for name in ("ann", "ben")},
}  # fmt: skip
Read = Callable[[bytes], object]
STORED: dict[str, tuple[Read, dict[str, Any]]] = {
    "an entry": (EntryChange.of, json.loads(ENTERED.line())),
    "a submission": (Announced.read, json.loads(SUBMISSION.line())),
    "a chosen block": (ChosenBlock.of, json.loads(ChosenBlock("naga", (("ann", "ben"),), shared=False).line())),
    "a block": (BlockSpec.read, BLOCK),
    "an end": (Ended.of, json.loads(Ended("finished").line())),
    "a kept folder": (KeptFolder.read, json.loads(KeptFolder("a", "00", 1, 1, 1).line())),
    "an action": (Action.of, json.loads(Action(1, "pause").line())),
    "a game": (lambda raw: GameEntry.of(json.loads(raw)), {"game": "naga", "options.deals": 1}),
    "a season": (lambda raw: Season.of(json.loads(raw)), Season("open").definition()),
}


def packed(values: object) -> bytes:
    return json.dumps(values).encode()


@pytest.mark.parametrize("kind", STORED)
def test_a_field_that_a_later_release_has_added_keeps_nobody_from_reading(kind: str) -> None:
    read, values = STORED[kind]
    assert read(packed(values | {"added_later": 1})) == read(packed(values))


@pytest.mark.parametrize("kind", STORED)
def test_a_higher_form_is_refused_with_a_sentence(kind: str) -> None:
    read, values = STORED[kind]
    with pytest.raises(BadStored, match="is stored in form 2, and this release reads forms up to 1: a later release"):
        read(packed(values | {"form": 2}))


@pytest.mark.parametrize("kind", STORED)
def test_a_value_that_lacks_what_it_needs_is_refused_with_its_name(kind: str) -> None:
    read, _ = STORED[kind]
    with pytest.raises(BadStored, match=r"is stored without \w+"):
        read(b"{}")


@pytest.mark.parametrize("part", ["clock", "bots"])
def test_what_is_in_a_block_may_have_more_fields_too(part: str) -> None:
    more = {"added_later": 1}
    changed = {"clock": BLOCK["clock"] | more} if part == "clock" else {
        "bots": {name: bot | more for name, bot in BLOCK["bots"].items()}
    }  # fmt: skip
    assert BlockSpec.read(packed(BLOCK | changed)) == BlockSpec.read(packed(BLOCK))


def test_what_is_written_again_keeps_what_this_release_does_not_know() -> None:
    later = json.loads(ENTERED.line()) | {"added_later": [1, 2]}
    again = EntryChange.of(packed(later)).of_owner(Owned("Ann", "of-ann"))
    assert json.loads(again.line()) == later | {"author": "Ann", "account": "of-ann"}
    submission = json.loads(SUBMISSION.line()) | {"added_later": 1}
    assert json.loads(Announced.read(packed(submission)).line()) == submission
