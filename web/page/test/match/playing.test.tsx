/** A match as its player has it: told by a service, with a drawer for what need not be seen all the time. */
import { readFileSync } from "node:fs";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { MoveOf, ViewOf } from "~/boards";
import { board as nerts } from "~/boards/nerts";
import { matches } from "~/api/matches";
import { AwaitMatchResponseSchema, MatchSchema, MatchState, TryMovesResponseSchema } from "~/gen/fudaba/v1/matches_pb";
import { SeatUpdateSchema, SubmitMoveRequestSchema, WatchSeatResponseSchema } from "~/gen/fudaba/v1/play_pb";
import { loadLanguage, loadTexts } from "~/i18n";
import { keep } from "~/kept";
import TryMoves from "~/parts/match/try_moves";
import { Playing } from "~/parts/play/playing";
import { until } from "../until";

const MATCH = "m-1";
let root: HTMLElement;
let isWide: boolean;
/** The answers that the page sent: a move by its index. */
let answers: (number | undefined)[];

/** What a seat was told at the decisions of a game, as its positions have it. */
function decisionsOf(game: string) {
  const kept = JSON.parse(readFileSync(`${import.meta.dirname}/../positions/${game}.json`, "utf8")) as {
    update: string;
  }[];
  return kept
    .map(({ update }) => fromBinary(SeatUpdateSchema, Uint8Array.from(Buffer.from(update, "base64"))))
    .filter(({ decision }) => (decision?.legalMoves.length ?? 0) > 1);
}

/** Answers as a service would that has this one match. */
function serve(game: string, required = true, position = decisionsOf(game)[0]) {
  const players = [{ bot: "guest-1" }, { bot: "house-first" }];
  const header = { matchId: MATCH, game, players };
  const match = create(AwaitMatchResponseSchema, { match: { state: MatchState.PLAYING, header } });
  if (position === undefined) throw new Error(`no position of ${game} will do`);
  const decision = position.decision && { ...position.decision, decisionId: "d1", required, timeMs: 60_000 };
  const update = create(SeatUpdateSchema, {
    ...position,
    decision,
    matchId: MATCH,
    seat: 0,
    seen: position.events.length,
  });
  const message = toBinary(WatchSeatResponseSchema, create(WatchSeatResponseSchema, { update }));
  const framed = new Uint8Array(message.length + 5);
  new DataView(framed.buffer).setUint32(1, message.length);
  framed.set(message, 5);
  const stream = () =>
    new ReadableStream({
      start: (opened) => {
        opened.enqueue(framed);
      },
    });
  vi.stubGlobal("fetch", (url: string, init?: RequestInit) => {
    const answer = (body: BodyInit | null, type: string) =>
      Promise.resolve(new Response(body, { headers: { "content-type": type } }));
    if (url.endsWith("/AwaitMatch"))
      return answer(Buffer.from(toBinary(AwaitMatchResponseSchema, match)), "application/proto");
    if (url.endsWith("/WatchSeat")) return answer(stream(), "application/connect+proto");
    if (url.endsWith("/SubmitMove")) {
      const sent = fromBinary(SubmitMoveRequestSchema, init?.body as Uint8Array).answer?.choice;
      answers.push(sent?.case === "index" ? sent.value : undefined);
    }
    return answer(null, "application/proto");
  });
}

async function sitDown() {
  await act(() => {
    render(<Playing matchId={MATCH} again={() => undefined} />, root);
  });
  await until(() => {
    expect(root.querySelector("button[data-piece]")).not.toBeNull();
  });
}

const find = (selector: string) => {
  const found = root.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`there is no ${selector}`);
  return found;
};
const send = async (target: Element | null, event: Event) => {
  await act(() => {
    target?.dispatchEvent(event);
  });
};
const click = (selector: string) => send(find(selector), new MouseEvent("click", { bubbles: true }));
const press = (key: string) => send(document.activeElement, new KeyboardEvent("keydown", { key, bubbles: true }));
const isOpen = () => !find("#drawer").hidden;

beforeEach(async () => {
  [isWide, answers] = [false, []];
  keep("browser", "play-at-once", "false");
  vi.stubGlobal("matchMedia", () => ({ matches: isWide }));
  await loadLanguage("en");
  await loadTexts("play", "match");
  root = document.body.appendChild(document.createElement("div"));
});
afterEach(async () => {
  await act(() => {
    render(null, root);
  });
  root.remove();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the drawer", () => {
  beforeEach(() => {
    serve("naga");
  });

  it("has the focus when it is opened, and its button when it is closed", async () => {
    await sitDown();
    expect(isOpen()).toBe(false);
    await click("[aria-controls=drawer]");
    expect([isOpen(), document.activeElement?.id]).toEqual([true, "drawer"]);
    await click(".drawer-close");
    expect([isOpen(), document.activeElement?.getAttribute("aria-controls")]).toEqual([false, "drawer"]);
  });

  it("is closed by Escape wherever the focus is at the table", async () => {
    await sitDown();
    await click("[aria-controls=drawer]");
    find("button[data-piece]").focus();
    await press("Escape");
    expect([isOpen(), document.activeElement?.getAttribute("aria-controls")]).toEqual([false, "drawer"]);
  });

  it("stands open from the beginning where there is room, and takes no focus then", async () => {
    isWide = true;
    await sitDown();
    expect([isOpen(), document.activeElement]).toEqual([true, document.body]);
  });

  it("has the game's reference card, which is loaded once it is opened", async () => {
    await sitDown();
    const card = [...root.querySelectorAll<HTMLDetailsElement>("#drawer details")].find(({ textContent }) =>
      textContent.startsWith("Reference card"),
    );
    expect(card?.textContent).toBe("Reference card");
    if (card !== undefined) card.open = true;
    await until(() => {
      expect(card?.querySelectorAll(".learn-reference section").length).toBeGreaterThan(2);
    });
  });

  it("stays open when Escape takes a move back", async () => {
    isWide = true;
    await sitDown();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }); // it can be taken back for as long as this takes
    await click(".play-at-once input");
    while (root.querySelector(".chooser-take-back") === null) await click("button[data-piece][aria-pressed=false]");
    await press("Escape");
    expect([isOpen(), answers]).toEqual([true, []]);
    await press("Escape");
    expect([isOpen(), answers]).toEqual([false, []]);
  });
});

describe("in Nerts", () => {
  /** A card that can go to several places, one of them a foundation, which is the obvious one. */
  const [position, card, index] = decisionsOf("nerts").flatMap((update) => {
    const moves = (update.decision?.legalMoves ?? []).map(({ game }) => game.value as MoveOf<"nerts">);
    const view = update.decision?.view?.game.value as ViewOf<"nerts">;
    const places = moves.map((move) => nerts.touches(move, view));
    return places.flatMap(([from = ""], at) =>
      moves[at]?.kind.case === "found" && places.filter((pieces) => pieces.includes(from)).length > 1
        ? [[update, from, at] as const]
        : [],
    );
  })[0] ?? [undefined, "", -1];

  it("a double click plays the obvious move, which a single one only begins", async () => {
    serve("nerts", false, position);
    await sitDown();
    const piece = `button[data-piece="${card}"]`;
    await click(piece);
    expect(answers).toEqual([]);
    await click(piece);
    await send(find(piece), new MouseEvent("dblclick", { bubbles: true }));
    await until(() => {
      expect(answers).toEqual([index]);
    });
  });

  it("a move that is clear is played at once, though nobody asked for that", async () => {
    serve("nerts", false, position);
    await sitDown();
    while (answers.length === 0) await click("button[data-piece][aria-pressed=false]");
    expect(root.querySelector(".chooser-take-back")).toBeNull();
  });
});

it("whoever plays on from a position by keys stays at the board after each move", async () => {
  const [position] = decisionsOf("naga");
  const { view, legalMoves } = position?.decision ?? {};
  const seat = { ...(view && { view }), decision: { legalMoves: legalMoves ?? [], legalCount: 2, required: true } };
  vi.spyOn(matches, "tryMoves").mockImplementation((request) =>
    Promise.resolve(
      create(TryMovesResponseSchema, { moves: request.moves ?? [], seats: [seat, view ? { view } : {}] }),
    ),
  );
  const over = create(MatchSchema, { header: { matchId: MATCH, game: "naga" } });
  await act(() => {
    const seats = [{ name: "ann" }, { name: "bob" }];
    render(<TryMoves match={over} entries={2} seats={seats} leave={() => undefined} />, root);
  });
  const piece = "button[data-piece][aria-pressed=false]";
  await until(() => {
    expect(root.querySelector(piece)).not.toBeNull();
  });
  while (root.querySelector(".chooser-ready button.main") === null) await click(piece);
  for (const button of [".chooser-ready button.main", ".match-trying button:nth-last-child(2)"]) {
    find(button).focus();
    await click(button);
    await until(() => {
      expect(document.activeElement?.className).toBe("match-main");
    });
  }
});
