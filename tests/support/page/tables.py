"""A seat's decisions of a match whose lots are fixed, shown by the page without a service: each as often as is wanted,
and in as many windows.

The real rules play the match in this process, and the contract's messages of one seat are handed to the page where the
service's stream would bring them. All else is the page as a gateway serves it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from playwright.sync_api import Page

from fudaba.codec import codec
from fudaba.v1 import matches_pb2, play_pb2
from fudaba_games.match import Match
from fudaba_games.registry import game as game_named

MATCH = "m-fits"
MAX_MOVES = 2_000
"""The number of legal moves that the service lists at most."""
MAX_EVENTS = 40
STREAM = """(match) => {
    const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const real = window.fetch.bind(window);
    const session = { signedIn: true, scope: "guest", account: "", bot: "guest-1", version: "1", label: "",
        tokenId: "t", expireTime: null };
    delete window.SharedWorker; // its requests would be the worker's, which nothing here answers
    let stream;
    window.show = (update) => {
        const message = bytes(update);
        const framed = new Uint8Array(message.length + 5);
        new DataView(framed.buffer).setUint32(1, message.length);
        framed.set(message, 5);
        stream.enqueue(framed);
    };
    window.streaming = () => stream !== undefined;
    window.fetch = (input, init) => {
        const url = String(input.url ?? input);
        const answer = (body, type) => Promise.resolve(new Response(body, { headers: { "content-type": type } }));
        if (url.endsWith("/session")) return answer(JSON.stringify(session), "application/json");
        if (url.endsWith("/AwaitMatch")) return answer(bytes(match), "application/proto");
        if (url.endsWith("/WatchSeat")) {
            const body = new ReadableStream({ start: (opened) => { stream = opened; } });
            return answer(body, "application/connect+proto");
        }
        if (url.includes("/fudaba.v1.")) return new Promise(() => undefined);
        return real(input, init);
    };
}"""
"""Answers as a service would that has this one match."""
UNFIT = """() => {
    const faults = [];
    const within = ({ top, left, bottom, right }) =>
        top >= -0.5 && left >= -0.5 && bottom <= innerHeight + 0.5 && right <= innerWidth + 0.5;
    const hits = (one) => {
        const { left, top, width, height } = one.getBoundingClientRect();
        let found = 0;
        for (let row = 0; row < 5; row += 1) {
            for (let column = 0; column < 5; column += 1) {
                const [x, y] = [left + (width * (column + 0.5)) / 5, top + (height * (row + 0.5)) / 5];
                const there = document.elementFromPoint(x, y);
                if (there !== null && (there === one || one.contains(there))) found += 1;
            }
        }
        return found;
    };
    const offered = [...document.querySelectorAll("button[data-piece]")];
    const seen = (one) => within(one.getBoundingClientRect()) ? hits(one) >= 4 : false;
    if (offered.length === 0) faults.push("nothing can be chosen");
    if (document.querySelector(".chooser-asks [role=status]").textContent === "") faults.push("nothing is asked");
    for (const one of offered) {
        if (seen(one)) continue;
        // What does not fit lies one swipe away, inside a part of the board of which something is in view.
        const swiped = one.closest("[data-swipe]");
        if (swiped !== null && within(swiped.getBoundingClientRect()) &&
            offered.some((other) => swiped.contains(other) && seen(other))) continue;
        faults.push(`${one.dataset.piece} is not in view`);
    }
    for (const button of document.querySelectorAll(".chooser-ready button")) {
        if (!within(button.getBoundingClientRect()) || (!button.disabled && hits(button) < 20))
            faults.push(`the button ${button.textContent} is not in view`);
    }
    for (const one of document.querySelectorAll(".match *")) {
        if (one.closest("svg, .unseen, [hidden]") !== null || !one.checkVisibility()) continue;
        const { overflowX } = getComputedStyle(one);
        if ((overflowX === "hidden" || overflowX === "clip") && one.scrollWidth > one.clientWidth + 1)
            faults.push(`${one.className} cuts ${one.textContent}`);
    }
    if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the window");
    return faults;
}"""
"""The parts of an open decision that cannot be seen, or hit, without scrolling."""


def match_message(name: str, seats: int) -> str:
    """Returns the match as `AwaitMatch` answers, in base64."""
    answer = matches_pb2.AwaitMatchResponse()
    answer.match.state = matches_pb2.MATCH_STATE_PLAYING
    _head(answer.match.header, name, seats)
    return base64.b64encode(answer.SerializeToString()).decode()


def _head(header: Any, name: str, seats: int) -> None:
    header.match_id = MATCH
    header.game = name
    header.clock.move_ms = 60_000
    header.clock.bank_ms = 600_000
    for seat in range(seats):
        player = header.players.add()
        player.bot = "guest-1" if seat == 0 else "house-sensible"
        player.version = "1"


class Asked(NamedTuple):
    """A decision of seat 0."""

    decision_id: str
    update: str
    """The update that the seat gets about it, in base64."""


def decisions(name: str, seed: int, seats: int, options: dict[str, Any] | None = None) -> Iterator[Asked]:
    """Yields the decisions of seat 0; all seats draw their moves."""
    rules = game_named(name)
    chance = Random(seed)
    match: Match[Any, Any, Any, Any] = Match(rules, seats, rules.resolve_options(options or {}), chance.randbytes(32))
    shown = 0
    while not match.over:
        asked = match.open_decisions()
        if not asked:
            match.pass_time()
            continue
        decision = chance.choice(asked)
        if decision.seat == 0:
            shown += 1
            yield _asked(name, match, decision, f"d{shown}")
        match.play(decision.seat, rules.random_move(match.state, decision.seat, chance))


def _asked(name: str, match: Match[Any, Any, Any, Any], decision: Any, decision_id: str) -> Asked:
    speaks = codec(name)
    update = play_pb2.SeatUpdate(match_id=MATCH, seat=0)
    events = match.shown(0)
    for event in events[-MAX_EVENTS:]:
        speaks.event_to_proto(event, update.events.add())
    update.seen = len(update.events)
    _head(update.started, name, match.seats)
    due = update.decision
    due.decision_id = decision_id
    due.required = True
    due.time_ms = 660_000
    due.bank_ms = 600_000
    speaks.view_to_proto(match.view(0), due.view)
    due.legal_count = len(decision.legal)
    for move in decision.legal[:MAX_MOVES]:
        speaks.move_to_proto(move, due.legal_moves.add())
    answer = play_pb2.WatchSeatResponse(update=update)
    return Asked(decision_id, base64.b64encode(answer.SerializeToString()).decode())


def sit_down(page: Page, name: str, seats: int) -> None:
    """Puts the page at the table; it knows nothing of the match yet."""
    page.add_init_script(f"({STREAM})({json.dumps(match_message(name, seats))})")
    page.goto(f"/play?match={MATCH}")
    page.wait_for_function("() => window.streaming()")


def show(page: Page, asked: Asked) -> None:
    """Tells the page of a decision, and waits until it is drawn and can be made; the page shows one after another."""
    page.evaluate("(update) => { window.isChosen = false; window.show(update); }", asked.update)
    page.wait_for_function(OFFERED, arg=asked.decision_id)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


OFFERED = """(id) => document.querySelector(`.chooser[data-decision="${id}"]`) !== null
    && document.querySelector("button[data-piece]") !== null"""
"""Whether the page shows the decision of this id, and something can be pointed at."""
CHOOSE = """async () => {
    const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const tried = new Set(); // a piece that lets go of another one would let the two take turns for ever
    for (let steps = 0; steps < 40; steps += 1) {
        if (document.querySelector(".chooser-ready button.main") !== null) break;
        const pieces = [...document.querySelectorAll("button[data-piece][aria-pressed=false]")];
        const next = pieces.find((piece) => !tried.has(piece.dataset.piece));
        if (next === undefined) break;
        tried.add(next.dataset.piece);
        next.click();
        await drawn();
    }
    window.isChosen = document.querySelector(".chooser-ready button.main") !== null;
}"""
"""Chooses whatever comes first, until that is a move; `window.isChosen` says whether it became one."""


def unfit(page: Page) -> list[str]:
    found: list[str] = page.evaluate(UNFIT)
    return found


REPLAY = """(answers) => {
    const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const real = window.fetch.bind(window);
    const framed = (flags, message) => {
        const whole = new Uint8Array(message.length + 5);
        whole[0] = flags;
        new DataView(whole.buffer).setUint32(1, message.length);
        whole.set(message, 5);
        return whole;
    };
    delete window.SharedWorker;
    window.fetch = (input, init) => {
        const url = String(input.url ?? input);
        const answer = (body, type) => Promise.resolve(new Response(body, { headers: { "content-type": type } }));
        if (url.endsWith("/session")) return answer(JSON.stringify({ signedIn: false }), "application/json");
        if (url.endsWith("/StreamPositions")) {
            const whole = [framed(0, bytes(answers.StreamPositions)), framed(2, new TextEncoder().encode("{}"))];
            return answer(new Blob(whole), "application/connect+proto");
        }
        const method = Object.keys(answers).find((name) => url.includes(`MatchService/${name}`));
        if (method !== undefined) return answer(bytes(answers[method]), "application/proto");
        if (url.includes("/fudaba.v1.")) return new Promise(() => undefined);
        return real(input, init);
    };
}"""
"""Answers as a service would that has this one match, which is over."""
UNFIT_REPLAY = """() => {
    const faults = [];
    const within = ({ top, left, bottom, right }) =>
        top >= -0.5 && left >= -0.5 && bottom <= innerHeight + 0.5 && right <= innerWidth + 0.5;
    const hit = (one) => {
        const { left, top, width, height } = one.getBoundingClientRect();
        const there = document.elementFromPoint(left + width / 2, top + height / 2);
        return there !== null && (there === one || one.contains(there));
    };
    for (const one of document.querySelectorAll(".match-steering :is(button, input, select), .table-head button")) {
        if (!within(one.getBoundingClientRect()) || (!one.disabled && !hit(one)))
            faults.push(`${one.getAttribute("aria-label") ?? one.textContent} is not in view`);
    }
    const parts = [...document.querySelectorAll(".board, .board-middle, .board-near, .match-lead")];
    for (const one of parts) {
        if (!within(one.getBoundingClientRect())) faults.push(`${one.className} is not in view`);
    }
    for (const one of document.querySelectorAll(".match *")) {
        if (one.closest("svg, .unseen, [hidden], select") !== null || !one.checkVisibility()) continue;
        const { overflowX } = getComputedStyle(one);
        if ((overflowX === "hidden" || overflowX === "clip") && one.scrollWidth > one.clientWidth + 1)
            faults.push(`${one.className} cuts ${one.textContent}`);
    }
    if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the window");
    return faults;
}"""
"""The parts of a replay that cannot be seen, or hit, without scrolling."""


def open_replay(
    page: Page, name: str, seed: int, seats: int, options: dict[str, Any] | None = None, most: int = 0
) -> int:
    """Returns the page with a match that is over, as seat 0 saw it; how many moves it has.

    All seats draw their moves.
    """
    rules, chance = game_named(name), Random(seed)
    match: Match[Any, Any, Any, Any] = Match(rules, seats, rules.resolve_options(options or {}), chance.randbytes(32))
    record = matches_pb2.GetRecordResponse()
    positions = matches_pb2.StreamPositionsResponse()
    _head(record.record.header, name, seats)
    speaks, seen = codec(name), 0
    while True:
        position = positions.positions.add(entries=len(record.record.log), bank_ms=[600_000] * seats)
        shown = match.shown(0)
        for event in shown[seen:]:
            speaks.event_to_proto(event, position.events.add())
        seen = len(shown)
        speaks.view_to_proto(match.view(0), position.view)
        asked = match.open_decisions()
        if match.over or (most and len(record.record.log) >= most):
            break
        record.record.log.add(seat=asked[0].seat if asked else 0).move.SetInParent()
        if asked:
            decision = chance.choice(asked)
            match.play(decision.seat, rules.random_move(match.state, decision.seat, chance))
        else:
            match.pass_time()
    got = matches_pb2.GetMatchResponse()
    got.match.state = matches_pb2.MATCH_STATE_FINISHED
    got.match.header.CopyFrom(record.record.header)
    got.match.end.outcome.scores.extend([0] * seats)
    got.match.end.outcome.placements.extend([1] * seats)
    answers = {"GetMatch": got, "GetRecord": record, "StreamPositions": positions}
    encoded = {method: base64.b64encode(each.SerializeToString()).decode() for method, each in answers.items()}
    page.add_init_script(f"({REPLAY})({json.dumps(encoded)})")
    page.goto(f"/matches/{MATCH}?at=1&seat=0")
    page.locator(".board").wait_for()
    return len(record.record.log)


def unfit_replay(page: Page) -> list[str]:
    found: list[str] = page.evaluate(UNFIT_REPLAY)
    return found
