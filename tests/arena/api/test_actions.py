"""What organisers change in an arena is kept, and told to organisers."""

from __future__ import annotations

from fudaba.v1 import accounts_pb2, arena_pb2
from fudaba_serving.grpc.policy import Reach, policy_of
from tests.support.arena.api.ladders import WAITING, author, call, create, register
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena


def actions(arena: Arena, after: int = 0, size: int = 1000) -> list[accounts_pb2.Action]:
    request = arena_pb2.ListArenaActionsRequest(after=after, page_size=size)
    return list(call(arena, "ListArenaActions", request).actions)


def test_what_an_organiser_changes_is_kept_in_order_and_what_others_do_and_what_is_refused_is_not(
    hosted: Service, arena: Arena
) -> None:
    before = len(actions(arena))
    definition = WAITING.format(name="noted", narrow=25)
    create(arena, definition, validate_only=True)
    for _ in range(2):  # the second finds it as it is wanted
        create(arena, definition)
    for _ in range(2):
        call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="noted"))
    token = author(hosted, "noted")
    register(hosted, token, "noted-bot")
    entering = arena_pb2.EnterLadderRequest(ladder="noted", bot="noted-bot")
    call(arena, "EnterLadder", entering, token)
    nothing = arena_pb2.AnnulBlocksRequest(tournament="noted", blocks=[7], reason="it never was")
    assert arena.refusal("AnnulBlocks", nothing).reason == "NOTHING_TO_ANNUL"
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="noted", bot="noted-bot"))
    found = actions(arena, before)
    assert [(action.number, action.method, dict(action.subject)) for action in found] == [
        (before + 1, "ArenaService.CreateLadder", {"ladder": "noted"}),
        (before + 2, "ArenaService.PauseLadder", {"ladder": "noted"}),
        (before + 3, "ArenaService.LeaveLadder", {"ladder": "noted", "bot": "noted-bot"}),
    ]
    with hosted.client() as client:
        mine = client.accounts.WhoAmI(accounts_pb2.WhoAmIRequest()).token.token_id
    assert {action.token_id for action in found} == {mine}
    assert [action.number for action in actions(arena, before + 1, size=1)] == [before + 2]
    listed = arena.command("arena", "actions", "--after", str(before))
    assert listed.returncode == 0
    assert f"{before + 3} " in listed.stdout.splitlines()[-1]
    assert listed.stdout.endswith(" ArenaService.LeaveLadder   bot=noted-bot, ladder=noted\n")
    assert arena.refusal("ListArenaActions", arena_pb2.ListArenaActionsRequest(), token).reason == "ORGANISER_ONLY"


def test_every_method_by_which_an_organiser_can_change_something_is_noted() -> None:
    policies = {
        method.name: policy_of(method) for method in arena_pb2.DESCRIPTOR.services_by_name["ArenaService"].methods
    }
    changing = {
        name for name, policy in policies.items() if policy.changes and policy.reaches["organiser"] is Reach.ALL
    }
    assert {name for name, policy in policies.items() if policy.audited} == changing - {"WriteSubmission"}
