/** What a player says or names rather than lays: buttons that are there only while they can be pressed. */
import { type ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { PieceId } from "~/boards";
import { Piece, PointingContext } from "~/boards/piece";

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

/** Buttons in a row, under a name for all of them; nothing while none of them can be pressed. */
export function Says(props: { label: string; sayings: readonly Saying[]; class?: string }) {
  const reachable = useReachable();
  const now = props.sayings.filter((saying) => reachable(saying.id));
  if (now.length === 0) return null;
  return (
    <div class={`says ${props.class ?? ""}`} role="group" aria-label={props.label}>
      <span class="says-label">{props.label}</span>
      {now.map((saying) => (
        <Piece key={saying.id} id={saying.id} label={saying.label} class="saying">
          {saying.text ?? saying.label}
        </Piece>
      ))}
    </div>
  );
}
