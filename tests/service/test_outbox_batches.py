"""An outbox makes batches of what is ready: in order, and bounded."""

from __future__ import annotations

from fudaba.v1 import play_pb2
from fudaba_service.api.outbox import MAX_MESSAGE_BYTES, Outbox, on_the_wire


def update(match_id: str, size: int = 0) -> play_pb2.PlayResponse:
    return play_pb2.PlayResponse(update=play_pb2.SeatUpdate(match_id=match_id, accepted=["x" * size] if size else []))


def sent(outbox: Outbox) -> list[play_pb2.PlayResponse]:
    """All that an outbox sends."""
    found = []
    while outbox:
        found.append(play_pb2.PlayResponse.FromString(on_the_wire(outbox.take()[0])))
    return found


def test_a_batch_is_a_run_of_updates_and_keeps_the_order() -> None:
    outbox = Outbox()
    outbox.batches = True
    refusal = play_pb2.PlayResponse(refusal=play_pb2.Refusal(match_id="a"))
    for message in (update("a"), update("b", 300), update("a", 20), refusal, update("a"), refusal, refusal):
        outbox.put(message, message.update.match_id, "d" if message.HasField("update") else "")
    first, puts = outbox.take()
    batch = play_pb2.PlayResponse.FromString(on_the_wire(first))
    assert list(batch.updates.updates) == [m.update for m in (update("a"), update("b", 300), update("a", 20))]
    assert list(puts) == [("a", "d"), ("b", "d"), ("a", "d")]
    assert sent(outbox) == [refusal, update("a"), refusal, refusal]


def test_a_batch_is_bounded_and_what_is_larger_goes_alone() -> None:
    outbox = Outbox()
    outbox.batches = True
    third = MAX_MESSAGE_BYTES // 3
    sizes = [third, third, third, 3 * MAX_MESSAGE_BYTES, 10, 10, third]
    for number, size in enumerate(sizes):
        outbox.put(update(str(number), size), str(number), "d")
    messages = sent(outbox)
    batches = [list(m.updates.updates) or [m.update] for m in messages]
    assert [[int(batch_update.match_id) for batch_update in some] for some in batches] == [[0, 1], [2], [3], [4, 5, 6]]
    assert all(len(m.SerializeToString()) <= MAX_MESSAGE_BYTES + 10 for m in messages if len(m.updates.updates))
    assert not outbox
