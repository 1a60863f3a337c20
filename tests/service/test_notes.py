"""Notes that bots give with their answers: for their author alone, live and archived, and never in what others get."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from fudaba import records
from fudaba.notes import MAX_NOTE_BYTES
from fudaba.v1 import accounts_pb2, bots_pb2, matches_pb2, play_pb2, record_pb2
from fudaba_service.sessions import proposals
from tests.support.service.bots import Bot, Stream, bearer, messages, play_match
from tests.support.service.noting import notes, noting
from tests.support.service.organiser import Entrant, Organiser, StoreView, nothing_changes, refused

SEED = bytes(range(32))


async def played(
    organiser: Organiser, *entrants: Entrant, words: tuple[str, str], **fields: Any
) -> tuple[str, list[Bot]]:
    """Returns a match whose seats note these words."""
    match_id = await organiser.match(*entrants, **fields)
    players = [Bot(organiser.address, e.token, noting(w)) for e, w in zip(entrants, words, strict=True)]
    await play_match(*players)
    return match_id, players


async def test_each_seat_gets_its_own_notes_and_nobody_else_is_told_any(
    organiser: Organiser, pair: tuple[Entrant, Entrant], store: StoreView
) -> None:
    match_id = await organiser.match(*pair)
    watching = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
    seen = asyncio.ensure_future(_all_of(watching))
    words = ("wrenlike", "ospreyan")
    players = [Bot(organiser.address, e.token, noting(w)) for e, w in zip(pair, words, strict=True)]
    await play_match(*players)
    await store.forgets(match_id)
    record = await organiser.record(match_id)
    for seat, player in enumerate(players):
        journal = player.journals[match_id]
        moves = [e.decision_id for e in record.log if e.seat == seat and e.HasField("move")]
        request = matches_pb2.GetNotesRequest(match_id=match_id)
        found = (await organiser.matches.GetNotes(request, metadata=bearer(pair[seat].token))).notes
        assert [note.decision_id for note in found] == moves
        assert [(n.seat, n.text) for n in found] == [(seat, f"{words[seat]} {k + 1}") for k in range(len(moves))]
        assert not any(words[1 - seat] in str(update) for update in journal.updates)
    public = [record, await organiser.get(match_id), *(await seen)]
    assert not any(word in str(message) for word in words for message in public)


async def _all_of(stream: Any) -> list[Any]:
    return [message async for message in stream]


def comparable(record: record_pb2.MatchRecord) -> bytes:
    """Returns a record's bytes without what differs between any two matches: ids, salt, times."""
    plain = record_pb2.MatchRecord.FromString(record.SerializeToString())
    plain.salt = plain.header.commitment = b""
    plain.header.match_id = ""
    plain.header.ClearField("create_time")
    plain.end.ClearField("end_time")
    for entry in plain.log:
        entry.at_ms = 0
        entry.ClearField("spent")
        entry.decision_id = ".".join(entry.decision_id.split(".")[:2])
    # Which of several seats that are asked at once answers first is chance, and so is who connects first.
    entries = sorted(
        plain.log, key=lambda entry: (entry.seat, [int(part) for part in entry.decision_id.split(".") if part])
    )
    del plain.log[:]
    plain.log.extend(entries)
    return records.pack(plain)


async def test_the_public_record_is_the_same_bytes_with_notes_and_without(
    organiser: Organiser, pair: tuple[Entrant, Entrant], store: StoreView
) -> None:
    made = []
    for words in (("", ""), ("a", "b" * 1000)):
        made.append(await played(organiser, *pair, words=words, seed=SEED))
        await store.forgets(made[-1][0])  # until then the same bots would be told all of it again
    without, with_notes = [await organiser.record(match_id) for match_id, _ in made]
    assert comparable(without) == comparable(with_notes)
    assert await notes(organiser, made[0][0], pair[1].token) == []
    assert await notes(organiser, made[1][0], pair[1].token)


async def test_who_gets_the_notes_of_a_seat(organiser: Organiser, store: StoreView) -> None:
    name = f"notes-{secrets.token_hex(4)}"
    account = await organiser.accounts.CreateAccount(
        accounts_pb2.CreateAccountRequest(name=name), metadata=organiser.metadata
    )
    author = bearer(account.token)
    await organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=f"{name}-bot"), metadata=author)
    made = await organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=f"{name}-bot"), metadata=author)
    mine, other, outsider = Entrant(f"{name}-bot", made.token), await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(mine, other)
    seat_token = await organiser.match_token(match_id, 1)
    players = [Bot(organiser.address, mine.token, noting("x")), Bot(organiser.address, other.token, noting("y"))]
    await play_match(*players)
    await store.forgets(match_id)
    for token in (mine.token, account.token):
        assert {seat for seat, _ in await notes(organiser, match_id, token)} == {0}
    for token in (other.token, seat_token):
        assert {seat for seat, _ in await notes(organiser, match_id, token)} == {1}
    stranger = (await organiser.accounts.CreateAccount(
        accounts_pb2.CreateAccountRequest(name=f"{name}-2"), metadata=organiser.metadata
    )).token  # fmt: skip
    elsewhere = await organiser.match_token(await organiser.match(mine, other), 0)
    for token in (outsider.token, stranger, elsewhere):
        await refused(notes(organiser, match_id, token), "NOT_YOUR_MATCH", "no bot of yours")
    request = matches_pb2.GetNotesRequest(match_id=match_id)
    await refused(organiser.matches.GetNotes(request, metadata=organiser.metadata), "WRONG_SCOPE", "organiser")
    await refused(notes(organiser, match_id, ""), "TOKEN_MISSING")
    await refused(notes(organiser, "nowhere", outsider.token), "MATCH_NOT_FOUND")


async def test_the_notes_of_a_hidden_match_wait_until_it_is_released(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id, _ = await played(organiser, *pair, words=("a", "b"), hidden=True)
    await refused(notes(organiser, match_id, pair[0].token), "MATCH_HIDDEN")
    release = matches_pb2.ReleaseMatchesRequest(match_ids=[match_id])
    await organiser.matches.ReleaseMatches(release, metadata=organiser.metadata)
    assert await notes(organiser, match_id, pair[0].token)


async def test_a_note_is_that_of_the_answer_that_stands_and_one_that_is_too_long_costs_nothing(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair)
    async with Stream(organiser.address, pair[0].token) as first, Stream(organiser.address, pair[1].token) as two:
        await first.hello()
        await two.hello()
        asked, stream, entrant = await _first_asked((first, pair[0]), (two, pair[1]))
        decision_id = asked.decision.decision_id
        assert proposals.MAX_NOTE_BYTES == MAX_NOTE_BYTES
        for note in ("x" * (MAX_NOTE_BYTES + 1), "札" * (MAX_NOTE_BYTES // 3 + 1)):
            await stream.answer(match_id, decision_id, index=0, note=note)
            refusal = await stream.refusal()
            assert (refusal.reason, refusal.still_open) == ("NOTE_TOO_LONG", True)
        answer = play_pb2.Answer(match_id=match_id, decision_id=decision_id, index=0, note="札" * (MAX_NOTE_BYTES // 3))
        for repeated in (False, True):
            request = play_pb2.SubmitMoveRequest(answer=answer)
            stored = await organiser.play.SubmitMove(request, metadata=bearer(entrant.token))
            assert stored.repeated_call == repeated
            assert await notes(organiser, match_id, entrant.token) == [(asked.seat, "札" * (MAX_NOTE_BYTES // 3))]
            answer.note = "another one"
    abort = matches_pb2.AbortMatchRequest(match_id=match_id)
    await organiser.matches.AbortMatch(abort, metadata=organiser.metadata)
    assert "illegal" not in {entry.WhichOneof("what") for entry in (await organiser.record(match_id)).log}
    assert len(await notes(organiser, match_id, entrant.token)) == 1


async def test_a_note_that_is_not_utf_8_makes_its_answer_unreadable_which_costs_nothing(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair)
    async with Stream(organiser.address, pair[0].token) as first, Stream(organiser.address, pair[1].token) as two:
        await first.hello()
        await two.hello()
        asked, _, entrant = await _first_asked((first, pair[0]), (two, pair[1]))
    answer = play_pb2.Answer(match_id=match_id, decision_id=asked.decision.decision_id, index=0, note="??")
    in_bytes = play_pb2.PlayRequest(answer=answer).SerializeToString().replace(b"??", b"\xff\xfe")
    play: Any = organiser.channel.stream_stream(
        "/fudaba.v1.PlayService/Play", response_deserializer=play_pb2.PlayResponse.FromString
    )
    submit: Any = organiser.channel.unary_unary("/fudaba.v1.PlayService/SubmitMove")
    call = play(metadata=bearer(entrant.token))
    await call.write(play_pb2.PlayRequest(hello=play_pb2.Hello()).SerializeToString())
    with nothing_changes(store):
        await call.write(in_bytes)
        refusal = await anext(message.refusal async for message in messages(call) if message.HasField("refusal"))
        assert (refusal.reason, refusal.match_id, refusal.decision_id) == ("MALFORMED", "", "")
        assert "not UTF-8" in refusal.message
        request = play_pb2.SubmitMoveRequest(answer=answer).SerializeToString().replace(b"??", b"\xff\xfe")
        await refused(submit(request, metadata=bearer(entrant.token)), "MALFORMED", "not UTF-8")
    await call.write(play_pb2.PlayRequest(answer=answer).SerializeToString())
    updates = (message.update async for message in messages(call) if message.HasField("update"))
    assert await anext(update async for update in updates if answer.decision_id in update.accepted)
    call.cancel()


async def _first_asked(*seats: tuple[Stream, Entrant]) -> tuple[play_pb2.SeatUpdate, Stream, Entrant]:
    """Returns who is asked first, and what."""
    waiting = {asyncio.ensure_future(stream.decision()): (stream, entrant) for stream, entrant in seats}
    done, pending = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    first = done.pop()
    return first.result(), *waiting[first]
