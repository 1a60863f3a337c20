"""What workers can play: which programs, until when, and who is given a block."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.store.workers.known_workers import PLAYING, Isolation, KnownWorker
from fudaba_arena.store.workers.runtimes import KnownRuntime


def day(days: int) -> str:
    return (datetime.now(UTC).date() + timedelta(days=days)).isoformat()


def runtime(name: str, until: str = "") -> KnownRuntime:
    return KnownRuntime.with_contents(name, name.partition("-")[0], name.partition("-")[2], until, [(name, "1")])


def worker(
    name: str, *runtimes: KnownRuntime, seats: int = 0, silent: float = 0.0, commands: bool = False
) -> KnownWorker:
    return KnownWorker(name, PLAYING, "", 0, 8, seats, 8, 15.0, runtimes, silent_seconds=silent, commands=commands)


def offers(*workers: KnownWorker) -> Offers:
    found = Offers()
    found.note(workers)
    return found


def test_a_program_can_be_run_where_a_worker_that_lives_has_its_runtime() -> None:
    both = offers(worker("a", runtime("python-3.11")), worker("b", runtime("node-20"), silent=99.0))
    assert both.lacking("python/") == both.lacking("python/python-3.11") == ""
    assert both.lacking("python/python-3.9") == "no worker has runtime python-3.9; there are: python-3.11"
    assert both.lacking("node/") == "no worker has runtime for node; there are: python-3.11"  # that one is dead
    assert both.lacking("node/python-3.11") == (
        "runtime python-3.11 is for python, and the bot is in node; there are: python-3.11"
    )


def test_where_nobody_runs_submissions_none_is_refused() -> None:
    assert offers(worker("a")).lacking("python/python-2.7") == offers().lacking("go/") == ""


@pytest.mark.parametrize("needs", ["python/python-3.9", "python/"])
def test_after_its_last_day_a_runtime_is_there_no_more(needs: str) -> None:
    assert offers(worker("a", runtime("python-3.9", day(0)))).lacking(needs) == ""
    ended = offers(worker("a", runtime("python-3.9", day(-1)), runtime("python-3.13")))
    assert ended.lacking("python/") == ""
    assert ended.lacking("python/python-3.9") == (
        f"runtime python-3.9 was there until {day(-1)}; submit the bot for another one: python-3.13"
    )


def test_an_author_is_warned_of_a_runtime_that_ends() -> None:
    offered = offers(worker("a", runtime("python-3.9", day(30)), runtime("python-3.13"), runtime("go-1.19", day(5))))
    assert offered.notice("python/python-3.9") == (
        f"runtime python-3.9 is there until {day(30)}: submit the bot for another one before that"
    )
    assert offered.notice("python/") == offered.notice("python/python-3.13") == offered.notice("rust/") == ""
    assert "go-1.19 is there until" in offered.notice("go/")


def test_a_block_is_given_to_workers_that_have_all_that_its_bots_need() -> None:
    old = worker("old", runtime("python-3.9", day(-1)), runtime("node-20"))
    new = worker("new", runtime("python-3.13"), runtime("node-20"))
    both = offers(old, new, worker("none"))
    assert both.place({"python/python-3.13", "node/"}, commands=False) == new.profile
    assert both.place({"python/python-3.9"}, commands=False) == old.profile  # it was handed out before the date
    assert both.place({"python/python-3.9", "python/python-3.13"}, commands=False) == ""
    assert both.place({"node/"}, commands=True) == ""  # neither starts commands


def test_where_several_kinds_of_workers_can_play_a_block_those_with_room_get_it() -> None:
    full = worker("full", runtime("python-3.13"), seats=8)
    free = worker("free", runtime("python-3.13"), runtime("node-20"))
    both = offers(full, free)
    assert {both.place({"python/"}, commands=False) for _ in range(20)} == {free.profile}
    assert both.stuck(full.profile, {"python/"}, commands=False)
    assert not both.stuck(free.profile, {"python/"}, commands=False)
    assert both.stuck("gone", {"python/"}, commands=False)
    equal = offers(worker("one", runtime("python-3.13")), free)
    assert len(Counter(equal.place({"python/"}, commands=False) for _ in range(100))) == 2


def test_what_programs_run_in_is_told_of_the_workers_that_live_and_can_run_one_of_them() -> None:
    bubblewrap, gvisor = Isolation("bubblewrap", "0.8.0"), Isolation("pods", "gvisor")
    python, node = runtime("python-3.13"), runtime("node-20")
    found = offers(
        replace(worker("a", python), isolation=bubblewrap),
        replace(worker("b", python, node), isolation=gvisor),
        replace(worker("c", python), isolation=bubblewrap),
        replace(worker("dead", python, silent=99.0), isolation=Isolation("unsafe")),
        worker("runs none"),
    )
    assert found.isolations({"python/"}) == {bubblewrap: 2, gvisor: 1}
    assert found.isolations({"node/", "node/node-20"}) == {gvisor: 1}
    assert found.isolations({"go/"}) == found.isolations(()) == {}
    earlier = offers(worker("of an earlier release", python))
    assert earlier.isolations({"python/"}) == {Isolation(): 1}


def on_host(host: str, name: str = "", **more: Any) -> KnownWorker:
    return replace(worker(name or host, runtime("python-3.13")), host=host, **more)


def elsewhere(found: Offers, host: str = "a", load: float = 0.0) -> str:
    return found.elsewhere(host, {"python/"}, commands=False, seats=4, load=load)


def test_another_host_is_one_of_another_name_and_where_none_is_known_there_is_none() -> None:
    b = on_host("b")
    assert elsewhere(offers(on_host("a"), on_host("a", "twin"), b)) == b.address
    assert elsewhere(offers(on_host("a"), on_host("a", "twin"))) == ""
    assert elsewhere(offers(on_host("a"), on_host("", "of an earlier release"))) == ""
    assert elsewhere(offers(b), host="") == ""
    assert elsewhere(offers(b, on_host("c", blocks=1))) == b.address  # it has less to do


@pytest.mark.parametrize(
    "busy", [{"seats": 8}, {"blocks": 8}, {"waiting": 1}, {"state": "stopped"}, {"silent_seconds": 99}]
)
def test_a_host_without_room_is_left_alone(busy: dict[str, Any]) -> None:
    assert elsewhere(offers(on_host("b", **({"blocks": 1} | busy)))) == ""


def test_where_all_hosts_are_full_blocks_change_places() -> None:
    full = on_host("b", blocks=4, seats=8, waiting=2)
    assert elsewhere(offers(full), load=4 / 8) == full.address
    assert elsewhere(offers(full), load=3 / 8) == ""
    assert elsewhere(offers(replace(full, blocks=8)), load=2.0) == ""


def test_not_all_blocks_go_to_one_host_before_it_can_tell_how_many_it_has() -> None:
    """It has eight seats, and each block takes four."""
    found = offers(on_host("b"))
    assert [elsewhere(found) for _ in range(3)] == [on_host("b").address] * 2 + [""]
    assert elsewhere(found, load=2 / 8)
    assert elsewhere(found, load=2 / 8) == ""
    found.note([on_host("b")])
    assert elsewhere(found)


def test_a_block_for_one_host_goes_to_others_when_that_host_is_gone_or_has_stopped() -> None:
    a, b = on_host("a"), on_host("b")
    needs = {"python/"}
    assert not offers(a, b).stuck(b.address, needs, commands=False)
    assert offers(a).stuck(b.address, needs, commands=False)
    assert offers(a, replace(b, state="stopped")).stuck(b.address, needs, commands=False)
    assert offers(a, replace(b, blocks=8)).stuck(b.address, needs, commands=False)
    assert not offers(replace(a, blocks=8), replace(b, blocks=8)).stuck(b.address, needs, commands=False)
