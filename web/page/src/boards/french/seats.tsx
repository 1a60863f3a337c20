/** Who sits at a board. */
import type { ComponentChildren } from "preact";
import type { SeatLabel } from "~/boards";
import { number, t } from "~/i18n";

/** The seats in turn order, the nearest one first: the one whose eyes these are, or seat 0. */
export function inOrder(count: number, nearest: number | null): number[] {
  return Array.from({ length: count }, (_, index) => ((nearest ?? 0) + index) % count);
}

/** A seat's name; "Seat 1" where there is none. */
export function seatName(seats: readonly SeatLabel[], seat: number): string {
  return seats[seat]?.name ?? t("french.seat", { seat: String(seat) });
}

/** A score with its sign. */
export function signed(score: number): string {
  return `${score > 0 ? "+" : score < 0 ? "−" : "±"}${number(Math.abs(score))}`;
}

/** Who has the most, and whether somebody has less. */
export function leaders(values: readonly number[]): { most: number; seats: number[]; all: boolean } {
  const most = Math.max(...values);
  const seats = values.flatMap((value, seat) => (value === most ? [seat] : []));
  return { most, seats, all: seats.length === values.length };
}

/** A seat's plate: its name, what it is, and whatever the game says of it. */
export function Plate(props: {
  seats: readonly SeatLabel[];
  seat: number;
  turn?: boolean;
  role?: string | undefined;
  children?: ComponentChildren;
}) {
  const label = props.seats[props.seat];
  return (
    <div class={`plate${props.turn === true ? " turn" : ""}`}>
      <div class="plate-name">
        {props.turn === true && (
          <span class="turn-mark" role="img" aria-label={t("french.turn")}>
            ▶
          </span>
        )}
        <b>{seatName(props.seats, props.seat)}</b>
        {props.role !== undefined && <span class="role">{props.role}</span>}
        {label?.connected === false && <span class="role away">{t("french.away")}</span>}
      </div>
      {props.children}
    </div>
  );
}

/** A number with what it counts. */
export function Count(props: { name: string; value: string | number }) {
  return (
    <span class="count">
      <span>{props.name}</span> <b>{props.value}</b>
    </span>
  );
}
