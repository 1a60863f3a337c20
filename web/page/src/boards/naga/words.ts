/** Naga in words: who leads, a move, an event. */
import type { EventOf, MoveOf, PieceId, SeatLabel, ViewOf } from "~/boards";
import { type Ask, ask } from "~/boards/asks";
import { leaders, seatName, signed } from "~/boards/seats";
import { categoryName } from "~/boards/naga/categories";
import { attributeName, cardsAt, nagaCode, nagaName, nagaNames, placeName, trumpOf } from "~/boards/naga/names";
import { listed } from "~/cards/french_names";
import { t } from "~/i18n";

type View = ViewOf<"naga">;
type Event = EventOf<"naga">;

export function lead(view: View, seats: readonly SeatLabel[]): string {
  const won = view.won.map((cards) => cards.cards.length);
  const { most, seats: first, all } = leaders(won);
  const deal = all
    ? t("naga.level", { count: most })
    : t("naga.leads", { name: seatName(seats, first[0] ?? 0), most, least: Math.min(...won) });
  if (view.scores.every((score) => score === 0)) return deal;
  const match = leaders(view.scores);
  const leader = { name: seatName(seats, match.seats[0] ?? 0), score: signed(match.most) };
  return `${deal} ${t("naga.match", leader)}`;
}

export function touches(move: MoveOf<"naga">): PieceId[] {
  if (move.kind.case === "designate") return [`place:${move.kind.value.place}`];
  return (move.kind.value?.cards ?? []).map((card) => `hand:${nagaCode(card)}`);
}

/** What is to be decided: the next place, or which cards to commit. */
export function asked(moves: readonly MoveOf<"naga">[], view: View): Ask {
  const first = moves[0]?.kind;
  if (first?.case !== "commit") return ask("naga.askDesignate", "designate 3");
  const count = first.value.cards.length;
  const values = { count, place: placeName(view.place), trump: attributeName(trumpOf(view.place)) };
  return ask("naga.askCommit", count === 2 ? "commit D7 A1" : "commit D7 A1 T3", values);
}

export function describe(move: MoveOf<"naga">, view: View): string {
  if (move.kind.case === "designate") {
    const { place } = move.kind.value;
    return t("naga.designate", { place: placeName(place), trump: attributeName(trumpOf(place)) });
  }
  const cards = move.kind.value?.cards ?? [];
  const made = categoryName([...cards, ...cardsAt(view.table, view.place)]);
  return t("naga.commit", { cards: nagaNames(cards), made });
}

export function narrate(event: Event, seats: readonly SeatLabel[]): string {
  const { kind } = event;
  switch (kind.case) {
    case "dealt":
      return t("naga.dealt", { deal: kind.value.deal + 1, name: seatName(seats, kind.value.dealer) });
    case "received":
      return t("naga.received", { name: seatName(seats, kind.value.seat), cards: nagaNames(kind.value.cards) });
    case "designated": {
      const { seat, place } = kind.value;
      const trump = attributeName(trumpOf(place));
      return t("naga.designated", { name: seatName(seats, seat), place: placeName(place), trump });
    }
    case "battled":
      return battled(kind.value, seats);
    case "dealEnded": {
      const { scores, wonCounts } = kind.value;
      const counts = { most: Math.max(...wonCounts), least: Math.min(...wonCounts) };
      if (scores.every((score) => score === 0)) return t("naga.drawn", counts);
      return t("naga.dealWon", { name: seatName(seats, leaders(scores).seats[0] ?? 0), ...counts });
    }
    default:
      return "";
  }
}

type Battled = Extract<Event["kind"], { case: "battled" }>["value"];

function battled(battle: Battled, seats: readonly SeatLabel[]): string {
  const hands = battle.played.map(({ cards }, seat) =>
    t("naga.shows", {
      name: seatName(seats, seat),
      cards: nagaNames(cards),
      made: categoryName([...cards, ...battle.prize]),
    }),
  );
  const prize = listed(battle.prize.map(nagaName));
  const result =
    battle.winner === undefined
      ? t("naga.tie", { cards: prize })
      : t("naga.takes", { name: seatName(seats, battle.winner), cards: prize });
  const battled = t("naga.battle", { place: placeName(battle.place) });
  return t("naga.battled", { battle: battled, hands: hands.join(t("naga.against")), result });
}
