/** A trick that was taken, a battle's two hands and a round that is over stand on their boards until the next play. */
import { type DescMessage, type JsonObject, type MessageShape, fromJson } from "@bufbuild/protobuf";
import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeAll, expect, it } from "vitest";
import type { EventOf, GameBoard, GameKey } from "~/boards";
import { board as houniek } from "~/boards/houniek";
import { board as mokkaik } from "~/boards/mokkaik";
import { board as naga } from "~/boards/naga";
import { board as napoleon } from "~/boards/napoleon";
import { board as niekhi } from "~/boards/niekhi";
import { HouniekEventSchema } from "~/gen/fudaba/v1/houniek_pb";
import { MokkaikEventSchema } from "~/gen/fudaba/v1/mokkaik_pb";
import { NagaEventSchema } from "~/gen/fudaba/v1/naga_pb";
import { NapoleonEventSchema, NapoleonPhase } from "~/gen/fudaba/v1/napoleon_pb";
import { NiekhiEventSchema } from "~/gen/fudaba/v1/niekhi_pb";
import { loadLanguage, loadTexts } from "~/i18n";
import { type Position, positionsOf } from "./positions";

beforeAll(async () => {
  await loadLanguage("en");
  await Promise.all(["houniek", "mokkaik", "naga", "napoleon", "niekhi"].map((game) => loadTexts(`boards/${game}`)));
});

/** Events of a game, from protobuf's JSON. */
function happened<Schema extends DescMessage>(schema: Schema, events: readonly JsonObject[]): MessageShape<Schema>[] {
  return events.map((event) => fromJson(schema, event));
}

/** The tricks on a board, with which cards each play has and who took it. */
function tricks<G extends GameKey>(board: GameBoard<G>, position: Position<G>, eventsSoFar: readonly EventOf<G>[]) {
  const root = document.createElement("div");
  const { Board } = board;
  void act(() => {
    const { view, seats, seat } = position;
    render(<Board view={view} seats={seats} seat={seat} events={[]} eventsSoFar={eventsSoFar} />, root);
  });
  return {
    text: root.querySelector(".board-cloth")?.textContent ?? "",
    plays: [...root.querySelectorAll(".trick-play")].map((play) => play.querySelector("b")?.textContent),
    took: [...root.querySelectorAll(".trick-play.took b")].map((name) => name.textContent),
  };
}

/** A position that is as asked for. */
function positionOf<G extends GameKey>(key: G, fits: (view: Position<G>["view"]) => boolean): Position<G> {
  const found = positionsOf(key, key).find(({ view }) => fits(view));
  if (found === undefined) throw new Error(`no kept position of ${key} fits`);
  return found;
}

it("keeps the last round of Houniek until the next meld", () => {
  const laid = (seat: number, card: number) => ({ laid: { seat, meld: { cards: [card] } } });
  const began = (round: number, leader: number) => ({ roundBegan: { round, leader, drawn: 2 } });
  const events = happened(HouniekEventSchema, [laid(0, 3), began(1, 0), laid(0, 4), laid(1, 8), began(2, 1)]);
  const empty = positionOf("houniek", ({ table }) => table.length === 0);
  const shown = tricks(houniek, empty, events);
  expect([shown.plays, shown.took]).toEqual([["Ann", "Bob"], ["Bob"]]);
  expect(shown.text).toContain("Round before: Bob was not beaten.");
  const next = positionOf("houniek", ({ table }) => table.length > 0);
  expect(tricks(houniek, next, events).took).toEqual([]);
});

it("keeps the last round of Mokkaik until the next meld, over the end of a deal", () => {
  const events = happened(MokkaikEventSchema, [
    { roundWon: { winner: 1 } },
    { laid: { seat: 1, meld: { cards: [5] } } },
    { roundWon: { winner: 1, cards: [5] } },
    { dealt: { deal: 1, dealer: 0, multiplier: 1 } },
  ]);
  const empty = positionOf("mokkaik", ({ size, turn }) => size === 0 && turn !== undefined);
  const shown = tricks(mokkaik, empty, events);
  expect([shown.plays, shown.took]).toEqual([["Bob"], ["Bob"]]);
});

it("keeps the last round of Niekhi until the next meld", () => {
  const laid = { laid: { seat: 1, cards: [3], length: 1, strength: 3 } };
  const events = happened(NiekhiEventSchema, [laid, { cleared: { leader: 1 } }]);
  const empty = positionOf("niekhi", ({ table }) => table.length === 0);
  const shown = tricks(niekhi, empty, events);
  expect([shown.plays, shown.took]).toEqual([["Bob"], ["Bob"]]);
});

it("shows both hands of a battle with their names, and marks the winner's", () => {
  const played = [{ cards: [1, 8, 15] }, { cards: [2, 9, 16] }];
  const events = happened(NagaEventSchema, [{ battled: { place: 1, played, prize: [30], winner: 1 } }]);
  const fought = positionOf("naga", ({ battle }) => battle > 0);
  const shown = tricks(naga, fought, events);
  expect(shown.plays.toSorted()).toEqual(["Ann", "Bob"]);
  expect(shown.took).toEqual(["Bob"]);
});

it("keeps the last trick of a deal of Napoleon during the next auction", () => {
  const events = happened(NapoleonEventSchema, [{ trickTaken: { winner: 3, cards: [1, 2, 3, 4, 5] } }]);
  const auction = positionOf("napoleon", ({ phase }) => phase === NapoleonPhase.AUCTION);
  expect(tricks(napoleon, auction, events).text).toContain("Last trick, taken by Dan");
  const later = positionOf("napoleon", ({ phase }) => phase === NapoleonPhase.NAMING);
  expect(tricks(napoleon, later, events).text).not.toContain("Last trick");
});

it("leaves the taken trick of Napoleon before the seats until its winner leads, and at the end of the match", () => {
  const between = positionOf("napoleon", ({ trick, winners }) => trick.length === 0 && winners.length > 0);
  const name = between.seats[between.view.winners.at(-1) ?? 0]?.name;
  expect(tricks(napoleon, between, []).took).toEqual([name]);
});
