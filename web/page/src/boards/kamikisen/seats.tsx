/** Who sits at a board, and what each has: a plate for each seat. */
import type { ComponentChildren } from "preact";
import type { SeatLabel } from "~/boards";
import { signed } from "~/boards/seats";
import { Count, Plate, plates } from "~/boards/table/seats";
import { t } from "~/i18n";

/** A number of each seat. */
export interface Column {
  readonly title: string;
  readonly cell: (seat: number) => number | string | undefined;
}

interface SeatsProps {
  readonly seats: readonly SeatLabel[];
  readonly scores: readonly number[];
  readonly turn: number | undefined;
  readonly nearest: number | null;
  readonly dealer: number;
  readonly columns: readonly Column[];
  /** What else there is to say of a seat. */
  readonly note?: (seat: number) => ComponentChildren;
  /** Seats that are out of the deal. */
  readonly isOut?: (seat: number) => boolean;
}

export function kamiPlates(props: SeatsProps) {
  return plates(props.scores.length, props.nearest, (seat) => <SeatPlate key={seat} {...props} seat={seat} />);
}

function SeatPlate(props: SeatsProps & { seat: number }) {
  const { seat, seats, scores, columns, turn, dealer } = props;
  const note = props.note?.(seat);
  return (
    <Plate
      seats={seats}
      seat={seat}
      turn={seat === turn}
      isOut={props.isOut?.(seat) === true}
      role={seat === dealer ? t("kamikisen.dealer") : undefined}
    >
      <div class="plate-counts">
        <Count name={t("kamikisen.score")} value={signed(scores[seat] ?? 0)} />
        {columns.map(({ title, cell }) => (
          <Count key={title} name={title} value={cell(seat)} />
        ))}
        {note !== undefined && note !== "" && <span class="role">{note}</span>}
      </div>
    </Plate>
  );
}
