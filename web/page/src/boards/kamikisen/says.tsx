/** What is said rather than laid: buttons that are there only while they can be pressed. */
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { PieceId } from "~/boards";
import { Piece, PointingContext } from "~/boards/piece";

export interface Saying {
  readonly id: PieceId;
  /** In words, for screen readers. */
  readonly label: string;
  /** What is shown, where it is not the label. */
  readonly shown?: ComponentChildren;
}

/** Buttons in a row; nothing while none of them can be pressed. */
export function Says(props: { sayings: readonly Saying[]; label?: string }) {
  const pointing = useContext(PointingContext);
  if (pointing === undefined) return null;
  const now = props.sayings.filter(({ id }) => pointing.open.has(id) || pointing.chosen.has(id));
  if (now.length === 0) return null;
  return (
    <div class="kami-says" role="group" aria-label={props.label ?? ""}>
      {props.label !== undefined && (
        <span class="kami-heading" aria-hidden="true">
          {props.label}
        </span>
      )}
      {now.map(({ id, label, shown }) => (
        <Piece key={id} id={id} label={label} class="saying">
          {shown ?? label}
        </Piece>
      ))}
    </div>
  );
}
