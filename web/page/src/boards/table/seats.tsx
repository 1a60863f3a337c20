/** Who sits at a board. */
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { SeatLabel } from "~/boards";
import { Away, SeatClock, TurnMark, seatName } from "~/boards/seats";

/** The seats in turn order, the nearest one first: the one whose eyes these are, or seat 0. */
export function inOrder(count: number, nearest: number | null): number[] {
  return Array.from({ length: count }, (_, index) => ((nearest ?? 0) + index) % count);
}

/** The plates of a table: that of the nearest seat, and the others in turn order. */
export function plates(
  count: number,
  nearest: number | null,
  plate: (seat: number) => ComponentChildren,
): { own: ComponentChildren; others: ComponentChildren[] } {
  const [own, ...others] = inOrder(count, nearest).map(plate);
  return { own, others };
}

/** A seat's plate: its name, what it is, its clock where that is known, and whatever the game says of it. */
export function Plate(props: {
  seats: readonly SeatLabel[];
  seat: number;
  turn?: boolean;
  isOut?: boolean;
  role?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const clock = useContext(SeatClock)(props.seat);
  return (
    <div class={`plate${props.turn === true ? " turn" : ""}${props.isOut === true ? " is-out" : ""}`}>
      <div class="plate-name">
        {props.turn === true && <TurnMark />}
        <b>{seatName(props.seats, props.seat)}</b>
        {props.role !== undefined && props.role !== "" && <span class="role">{props.role}</span>}
        <Away seat={props.seats[props.seat]} />
        {clock}
      </div>
      {props.children}
    </div>
  );
}

/** A number with what it counts. */
export function Count(props: { name: string; value: ComponentChildren }) {
  return (
    <span class="count">
      <span>{props.name}</span> <b>{props.value}</b>
    </span>
  );
}
