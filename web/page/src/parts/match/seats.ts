/** Who sits where, in words. */
import type { GameBoard, GameKey, SeatLabel } from "~/boards";
import type { Event } from "~/gen/fudaba/v1/game_pb";
import type { Match } from "~/gen/fudaba/v1/matches_pb";
import type { MatchHeader, Player } from "~/gen/fudaba/v1/record_pb";
import { t } from "~/i18n";

/** A bot with its version; a guest or a house bot has none worth a word, nor a guest the digits of its name. */
export function playerName({ bot, version }: Player): string {
  const name = bot.replace(/^(guest-.+)-.{8}$/, "$1") || "?"; // not known yet, or hidden
  return version === "" || version === "1" ? name : `${name} ${version}`;
}

/** How the names begin that the service makes up for guests. */
const GUEST = "guest-";

/** The seats of a match, and which of them is the reader's. Two seats of one bot are told apart by their numbers. */
export function seatLabels(header: MatchHeader | undefined, mine: number | null = null): SeatLabel[] {
  const names = (header?.players ?? []).map(playerName);
  return names.map((name, seat) => {
    const double = names.some((other, place) => other === name && place !== seat);
    if (seat === mine && name.startsWith(GUEST)) return { name: t("match.yourself") };
    const label = double ? t("match.numbered", { name, number: seat + 1 }) : name;
    return { name: seat === mine ? t("match.you", { name: label }) : label };
  });
}

/** What a board says of events, line by line. */
export function narrated(board: GameBoard<GameKey>, events: readonly Event[], seats: readonly SeatLabel[]): string[] {
  return events
    .map((event) => (event.game.value === undefined ? "" : board.narrate(event.game.value, seats)))
    .filter((line) => line !== "");
}

/** How a match ended, in one line; empty while it goes on. */
export function ending(match: Match | undefined, seats: readonly SeatLabel[]): string {
  const end = match?.end;
  if (end === undefined) return "";
  const name = (seat: number) => seats[seat]?.name ?? String(seat + 1);
  if (end.outcome === undefined) return t("match.endAborted");
  const best = end.outcome.placements.flatMap((placement, seat) => (placement === 1 ? [name(seat)] : []));
  const won =
    best.length === end.outcome.placements.length
      ? t("match.endDraw")
      : t("match.endWon", { names: best.join(t("match.and")) });
  const lost = end.forfeitedSeat === undefined ? "" : ` ${t("match.endForfeit", { name: name(end.forfeitedSeat) })}`;
  return won + lost;
}

/** A score with its sign, a true minus included. */
export function signed(score: number): string {
  return score > 0 ? `+${score}` : score < 0 ? `−${-score}` : "0";
}
