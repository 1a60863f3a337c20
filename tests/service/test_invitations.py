"""A match by invitation is between those who play it: it is on no list of others, and its code says what it is for."""

from __future__ import annotations

from fudaba.v1 import matches_pb2, record_pb2
from tests.support.service.bots import bearer, play_match
from tests.support.service.joining import INVITED, ME, create, joining
from tests.support.service.lists import ANYBODY
from tests.support.service.organiser import Entrant, Organiser, refused


async def listed(organiser: Organiser, match_id: str, metadata: object) -> bool:
    """Returns whether somebody finds a match on the newest page of the list."""
    found = await organiser.matches.ListMatches(matches_pb2.ListMatchesRequest(page_size=50), metadata=metadata)
    return match_id in {match.header.match_id for match in found.matches}


async def test_a_match_by_invitation_is_on_the_lists_of_those_who_play_it_and_of_the_organiser(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    host, guest = pair
    other = await organiser.entrant()
    made = await create(organiser, ME, INVITED, by=host)
    match_id, [code] = made.match.header.match_id, made.invitation_codes

    async def seen_by_all() -> list[bool]:
        tokens = [bearer(host.token), bearer(guest.token), ANYBODY, bearer(other.token), organiser.metadata]
        return [await listed(organiser, match_id, token) for token in tokens]

    assert await seen_by_all() == [True, False, False, False, True]
    await joining(organiser, guest, code=code.code)
    assert await seen_by_all() == [True, True, False, False, True]
    await play_match(*organiser.by_chance(*pair))
    await organiser.ended(match_id)
    assert await seen_by_all() == [True, True, False, False, True]


async def test_an_invitation_says_what_it_is_for_and_whether_the_seat_is_free(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    host, guest = pair
    made = await create(organiser, ME, INVITED, by=host)
    [code] = made.invitation_codes
    request = matches_pb2.GetInvitationRequest(invitation_code=code.code.lower())
    shown = await organiser.matches.GetInvitation(request, metadata=ANYBODY)
    assert (shown.match.header.game, shown.seat, shown.taken) == (made.match.header.game, 1, False)
    assert shown.inviter == host.name
    assert shown.match.header.clock == made.match.header.clock
    await joining(organiser, guest, code=code.code)
    assert (await organiser.matches.GetInvitation(request, metadata=ANYBODY)).taken
    unknown = matches_pb2.GetInvitationRequest(invitation_code="AAAA-AAAA-AAAA")
    await refused(organiser.matches.GetInvitation(unknown, metadata=ANYBODY), "INVITATION_NOT_FOUND")


async def test_nobody_has_taken_the_seat_of_a_match_that_was_called_off_or_not_joined_in_time(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    host, _ = pair
    called_off = await create(organiser, ME, INVITED, by=host)
    abort = matches_pb2.AbortMatchRequest(match_id=called_off.match.header.match_id)
    await organiser.matches.AbortMatch(abort, metadata=bearer(host.token))
    late = await create(organiser, ME, INVITED, by=host, join_ms=1)
    await organiser.ended(late.match.header.match_id)
    causes = record_pb2.ABORT_CAUSE_CALLED_OFF, record_pb2.ABORT_CAUSE_NOT_JOINED
    for made, cause in zip((called_off, late), causes, strict=True):
        request = matches_pb2.GetInvitationRequest(invitation_code=made.invitation_codes[0].code)
        shown = await organiser.matches.GetInvitation(request, metadata=ANYBODY)
        assert (shown.match.end.abort_cause, shown.taken) == (cause, False)
