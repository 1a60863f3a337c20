/** Words that the boards of the Kamikisen games share. */
import type { SeatLabel } from "~/boards";
import { leaders, seatName, signed } from "~/boards/seats";
import { type Face, faceNames, kindWord, strengthWord } from "~/cards/kamikisen_names";
import { KamikisenForm } from "~/gen/fudaba/v1/kamikisen_pb";
import { type MessageKey, language, t } from "~/i18n";

export function seatNames(seats: readonly SeatLabel[], some: readonly number[]): string {
  const names = some.map((seat) => seatName(seats, seat));
  return new Intl.ListFormat(language.value, { type: "conjunction" }).format(names);
}

/** The score of every seat of a deal: "Ann +3, Ben −3". */
export function scoreLine(seats: readonly SeatLabel[], scores: readonly number[]): string {
  return scores.map((score, seat) => `${seatName(seats, seat)} ${signed(score)}`).join(t("kamikisen.comma"));
}

/** Who leads the match, or has won it, in a sentence. */
export function matchLead(seats: readonly SeatLabel[], scores: readonly number[], over: boolean): string {
  const { most, seats: best, all } = leaders(scores);
  if (all) return t(over ? "kamikisen.drawn" : "kamikisen.level");
  const key: MessageKey = over ? "kamikisen.hasWon" : "kamikisen.leads";
  return t(key, { names: seatNames(seats, best), score: signed(most) });
}

/** Who is nearest to an empty hand, in a sentence. */
export function fewestCards(seats: readonly SeatLabel[], sizes: readonly number[]): string {
  const least = Math.min(...sizes);
  const best = sizes.flatMap((size, seat) => (size === least ? [seat] : []));
  if (best.length === sizes.length) return t("kamikisen.allHave", { count: least });
  return t(least === 1 ? "kamikisen.oneLeft" : "kamikisen.fewest", { names: seatNames(seats, best), count: least });
}

/** Two sentences after one another, as the language writes them. */
export function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(t("kamikisen.space"));
}

/** A form with its size: "set of 3". */
export function meldName(form: KamikisenForm, size: number): string {
  if (form === KamikisenForm.SET) return t("kamikisen.setOf", { size });
  if (form === KamikisenForm.RUN) return t("kamikisen.runOf", { size });
  return t("kamikisen.single");
}

/** What is said of a meld whose cards could be several: "as 5", "from 3". */
export function asStrength(strength: number): string {
  return t("kamikisen.as", { what: strengthWord(strength) });
}

export function asFoot(kind: number): string {
  return t("kamikisen.foot", { what: kindWord(kind - 1) });
}

/** Cards in a sentence, and what they count as. */
export function cardsAs(faces: readonly Face[], reading: string): string {
  return reading === "" ? faceNames(faces) : t("kamikisen.cardsAs", { cards: faceNames(faces), as: reading });
}
