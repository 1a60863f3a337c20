/** Who sits at a board. */
import type { ComponentChildren } from "preact";
import type { SeatLabel } from "~/boards";
import { Away, TurnMark, seatName } from "~/boards/seats";

/** The seats in turn order, the nearest one first: the one whose eyes these are, or seat 0. */
export function inOrder(count: number, nearest: number | null): number[] {
  return Array.from({ length: count }, (_, index) => ((nearest ?? 0) + index) % count);
}

/** A seat's plate: its name, what it is, and whatever the game says of it. */
export function Plate(props: {
  seats: readonly SeatLabel[];
  seat: number;
  turn?: boolean;
  role?: string | undefined;
  children?: ComponentChildren;
}) {
  return (
    <div class={`plate${props.turn === true ? " turn" : ""}`}>
      <div class="plate-name">
        {props.turn === true && <TurnMark />}
        <b>{seatName(props.seats, props.seat)}</b>
        {props.role !== undefined && <span class="role">{props.role}</span>}
        <Away seat={props.seats[props.seat]} />
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
