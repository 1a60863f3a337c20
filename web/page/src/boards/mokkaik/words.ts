/** Mokkaik (行戦) in words, and what its moves touch. Rules: docs/rules/mokkaik.md. */
import type { EventOf, MoveOf, PieceId, SeatLabel, ViewOf } from "~/boards";
import { type Ask, ask, kindsOf } from "~/boards/asks";
import { pieceIds } from "~/boards/kamikisen/pieces";
import { meldCards, meldTitle, strengthPieces } from "~/boards/kamikisen/readings";
import { matchLead, meldName, scoreLine, sentences } from "~/boards/kamikisen/words";
import { seatName } from "~/boards/seats";
import { faceNames, facesOfCards, strengthWord } from "~/cards/kamikisen_names";
import { t } from "~/i18n";

export const DISCARD: PieceId = "say:discard";

export function lead(view: ViewOf<"mokkaik">, seats: readonly SeatLabel[]): string {
  const over = view.turn === undefined;
  const best = view.laidBy.at(-1);
  if (over) return matchLead(seats, view.scores, over);
  const round =
    best === undefined
      ? t("mokkaik.leadsRound", { name: seatName(seats, view.leader) })
      : t("mokkaik.bestIs", {
          name: seatName(seats, best),
          meld: meldName(view.form, view.size),
          strength: strengthWord(view.strength),
        });
  return sentences(matchLead(seats, view.scores, over), round);
}

export function touches(move: MoveOf<"mokkaik">): PieceId[] {
  switch (move.kind.case) {
    case "lay":
      return [
        ...pieceIds("hand", facesOfCards(move.kind.value.meld?.cards ?? [])),
        ...strengthPieces(move.kind.value.meld),
      ];
    case "discard":
      return [...pieceIds("hand", facesOfCards(move.kind.value.cards)), DISCARD];
    default:
      return [];
  }
}

/** What is to be decided: a meld that leads, one that follows, or what to discard. */
export function asked(moves: readonly MoveOf<"mokkaik">[], view: ViewOf<"mokkaik">): Ask {
  const kinds = kindsOf(moves);
  if (!kinds.has("discard")) return ask("mokkaik.askLead", "set r3 b3");
  return ask(kinds.has("lay") ? "mokkaik.askFollow" : "mokkaik.askDiscard", "discard r1 b8", { count: view.size });
}

export function describe(move: MoveOf<"mokkaik">): string {
  switch (move.kind.case) {
    case "lay":
      return t("kamikisen.lay", { meld: meldTitle(move.kind.value.meld), cards: meldCards(move.kind.value.meld) });
    case "discard":
      return t("mokkaik.discard", { cards: faceNames(facesOfCards(move.kind.value.cards)) });
    default:
      return "";
  }
}

export function narrate(event: EventOf<"mokkaik">, seats: readonly SeatLabel[]): string {
  const { kind } = event;
  switch (kind.case) {
    case "dealt":
      return t("kamikisen.dealtTimes", {
        deal: kind.value.deal + 1,
        name: seatName(seats, kind.value.dealer),
        factor: kind.value.multiplier,
      });
    case "received":
      return t("kamikisen.received", {
        name: seatName(seats, kind.value.seat),
        cards: faceNames(facesOfCards(kind.value.cards)),
      });
    case "laid":
      return t("kamikisen.laid", {
        name: seatName(seats, kind.value.seat),
        meld: meldTitle(kind.value.meld),
        cards: meldCards(kind.value.meld),
      });
    case "discarded":
      return t("mokkaik.hasDiscarded", { name: seatName(seats, kind.value.seat), count: kind.value.count });
    case "roundWon":
      return t("mokkaik.roundWon", {
        name: seatName(seats, kind.value.winner),
        cards: faceNames(facesOfCards(kind.value.cards)),
      });
    case "dealEnded":
      return t("kamikisen.dealWon", {
        name: seatName(seats, kind.value.winner),
        scores: scoreLine(seats, kind.value.scores),
      });
    default:
      return "";
  }
}
