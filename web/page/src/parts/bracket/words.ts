/** What a bracket says, in the reader's language. */
import {
  BracketDecision,
  type BracketGroup,
  type BracketSeat,
  BracketSection,
  type Withdrawal,
} from "~/gen/fudaba/v1/arena_pb";
import { type MessageKey, t } from "~/i18n";
import type { Column } from "~/parts/bracket/layout";

const SECTIONS: Partial<Record<BracketSection, MessageKey>> = {
  [BracketSection.FINAL]: "bracket.final",
  [BracketSection.RESET]: "bracket.secondFinal",
  [BracketSection.THIRD_PLACE]: "bracket.thirdPlace",
};

/** What a group is called, such as "Group 3" or "Final". */
export function groupName(group: BracketGroup, number: number): string {
  const section = SECTIONS[group.section];
  return section === undefined ? t("bracket.group", { number: String(number) }) : t(section);
}

/** The heading of a column. */
export function columnName({ round, groups }: Column): string {
  const section = groups.map(({ group }) => SECTIONS[group.section]).find((name) => name !== undefined);
  return section === undefined ? t("bracket.round", { number: String(round) }) : t(section);
}

/** The bot of a seat, or from where it will come. */
export function seatName(seat: BracketSeat, groups: readonly BracketGroup[]): string {
  if (seat.bot !== "") return seat.bot;
  const from = groups[seat.fromGroup - 1];
  if (from === undefined) return t("bracket.seedOnly", { seed: String(seat.seed) });
  const places = { place: String(seat.fromPlace), group: groupName(from, seat.fromGroup) };
  if (from.seats.length > 2) return t("bracket.placeOf", places);
  return t(seat.fromPlace === 1 ? "bracket.winnerOf" : "bracket.loserOf", places);
}

/** Why a group was decided as it was, where its points do not show that; empty otherwise. */
export function reasonOf(group: BracketGroup, withdrawals: readonly Withdrawal[]): string {
  if (group.decidedBy === BracketDecision.NOT_NEEDED) return t("bracket.notNeeded");
  if (group.decidedBy === BracketDecision.SEED) return t(group.blocks === 0 ? "bracket.bySeedAlone" : "bracket.bySeed");
  if (group.decidedBy !== BracketDecision.ABSENCE) return "";
  const losers = group.seats.filter((seat) => seat.place > group.advancing).map((seat) => seat.bot);
  const withdrawn = losers.filter((bot) => withdrawals.some((withdrawal) => withdrawal.bot === bot));
  if (withdrawn.length > 0) return t("bracket.byWithdrawal", { bots: withdrawn.join(", ") });
  return losers.length === 1 ? t("bracket.byAbsence", { bot: losers[0] ?? "" }) : t("bracket.byAbsences");
}

/** What a bot that goes on has reached by it. */
export function reachedBy(group: BracketGroup): string {
  if (group.section === BracketSection.THIRD_PLACE) return t("bracket.isThird");
  return t(
    group.section === BracketSection.FINAL || group.section === BracketSection.RESET
      ? "bracket.wins"
      : "bracket.goesOn",
  );
}
