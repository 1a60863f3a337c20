/** What a player says or names rather than lays: buttons that are there only while they can be pressed. */
import { type ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { PieceId } from "~/boards";
import { Piece, PointingContext } from "~/boards/piece";
import "~/boards/says.css";

export interface Saying {
  readonly id: PieceId;
  /** In words, for screen readers. */
  readonly label: string;
  /** What is shown; the label if there is nothing shorter. */
  readonly text?: ComponentChildren;
}

/** Whether a piece can be chosen now, or is. */
export function useReachable(): (id: PieceId) => boolean {
  const pointing = useContext(PointingContext);
  return (id) => pointing !== undefined && (pointing.open.has(id) || pointing.chosen.has(id));
}

/** Which pieces are chosen. */
export function useChosen(): ReadonlySet<PieceId> {
  return useContext(PointingContext)?.chosen ?? NONE;
}

const NONE: ReadonlySet<PieceId> = new Set();

/** Buttons in a row, with a name for all of them where they need one; nothing while none of them can be pressed. */
export function Says(props: { sayings: readonly Saying[]; label?: string; class?: string }) {
  const reachable = useReachable();
  const now = props.sayings.filter((saying) => reachable(saying.id));
  if (now.length === 0) return null;
  return (
    <div
      class={`says ${props.class ?? ""}`}
      {...(props.label !== undefined && { role: "group", "aria-label": props.label })}
    >
      {props.label !== undefined && (
        <span class="says-label" aria-hidden="true">
          {props.label}
        </span>
      )}
      {now.map((saying) => (
        <Piece key={saying.id} id={saying.id} label={saying.label} class="saying">
          {saying.text ?? saying.label}
        </Piece>
      ))}
    </div>
  );
}
