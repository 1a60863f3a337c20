/** Who sits at a board, and what each has: a line for each seat, that of the nearest last. */
import type { ComponentChildren } from "preact";
import type { SeatLabel } from "~/boards";
import { Away, TurnMark, seatName, signed } from "~/boards/seats";
import { t } from "~/i18n";

/** A column of numbers. */
export interface Column {
  readonly title: string;
  readonly cell: (seat: number) => number | string | undefined;
}

interface SeatTableProps {
  readonly seats: readonly SeatLabel[];
  readonly scores: readonly number[];
  readonly turn: number | undefined;
  readonly nearest: number | null;
  readonly dealer: number;
  readonly columns: readonly Column[];
  /** What else there is to say of a seat, beside its name. */
  readonly note?: (seat: number) => ComponentChildren;
  /** Seats that are out of the deal. */
  readonly isOut?: (seat: number) => boolean;
}

export function SeatTable(props: SeatTableProps) {
  const { scores, columns, nearest } = props;
  const order = scores.map((_, place) => ((nearest ?? -1) + 1 + place) % scores.length);
  return (
    <table class="kami-seats">
      <thead>
        <tr>
          <th scope="col">{t("kamikisen.player")}</th>
          <th scope="col">{t("kamikisen.score")}</th>
          {columns.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {order.map((seat) => (
          <SeatRow key={seat} {...props} seat={seat} />
        ))}
      </tbody>
    </table>
  );
}

function SeatRow(props: SeatTableProps & { seat: number }) {
  const { seat, seats, scores, columns, turn, dealer } = props;
  const isOut = props.isOut?.(seat) === true;
  const note = props.note?.(seat);
  return (
    <tr class={`${seat === turn ? "is-turn" : ""}${isOut ? " is-out" : ""}`}>
      <th scope="row">
        {seat === turn && <TurnMark />}
        <span class="kami-name">{seatName(seats, seat)}</span>
        {seat === dealer && <span class="role">{t("kamikisen.dealer")}</span>}
        <Away seat={seats[seat]} />
        {note !== undefined && note !== "" && <span class="role">{note}</span>}
      </th>
      <td>{signed(scores[seat] ?? 0)}</td>
      {columns.map(({ title, cell }) => (
        <td key={title}>{cell(seat)}</td>
      ))}
    </tr>
  );
}
