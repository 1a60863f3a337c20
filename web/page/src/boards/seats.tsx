/** What every board says of its seats. */
import { type ComponentChildren, createContext } from "preact";
import type { SeatLabel } from "~/boards";
import { number, t } from "~/i18n";
import "~/boards/seats.css";

/** What the page knows of a seat's clock, to be drawn on its plate. */
export const SeatClock = createContext<(seat: number) => ComponentChildren>(() => null);

/** A seat's name; "Seat 1" where there is none. */
export function seatName(seats: readonly SeatLabel[], seat: number): string {
  return seats[seat]?.name ?? t("boards.seat", { seat: seat + 1 });
}

/** A score with its sign. */
export function signed(score: number): string {
  return `${score > 0 ? "+" : score < 0 ? "−" : "±"}${number(Math.abs(score))}`;
}

/** Who has the most, and whether nobody has less. */
export function leaders(values: readonly number[]): { most: number; seats: number[]; all: boolean } {
  const most = Math.max(...values);
  const seats = values.flatMap((value, seat) => (value === most ? [seat] : []));
  return { most, seats, all: seats.length === values.length };
}

/** The mark beside the seat that is to move. */
export function TurnMark() {
  return (
    <span class="turn-mark" role="img" aria-label={t("boards.turn")}>
      ▶
    </span>
  );
}

/** The word beside a seat whose person or program is not connected. */
export function Away({ seat }: { seat: SeatLabel | undefined }) {
  return seat?.connected === false ? <span class="role away">{t("boards.away")}</span> : null;
}
