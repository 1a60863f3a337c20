/** Pointing: what is chosen so far, and which pieces lead on from there. */
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PieceId } from "~/boards";

/** How the pieces of a board are pointed at; none while nothing can be chosen. */
export interface Pointing {
  /** Pieces that are part of a legal move together with what is chosen already. */
  readonly open: ReadonlySet<PieceId>;
  readonly chosen: ReadonlySet<PieceId>;
  toggle(piece: PieceId): void;
  /** Plays what is obvious for a piece, where that is clear: a double click. */
  twice?(piece: PieceId): void;
}

export const PointingContext = createContext<Pointing | undefined>(undefined);

/**
 * A thing on the board that a move can touch. While it can be chosen it is a button, for mouse, finger and keys alike;
 * otherwise it is what it contains.
 */
export function Piece(props: { id: PieceId; label: string; class?: string; children: ComponentChildren }) {
  const pointing = useContext(PointingContext);
  const chosen = pointing?.chosen.has(props.id) ?? false;
  const name = `piece ${props.class ?? ""}`;
  if (pointing === undefined || !(chosen || pointing.open.has(props.id))) {
    return (
      <span class={name} data-piece={props.id} role="img" aria-label={props.label}>
        {props.children}
      </span>
    );
  }
  return (
    <button
      type="button"
      class={name}
      data-piece={props.id}
      aria-pressed={chosen}
      aria-label={props.label}
      onClick={() => {
        pointing.toggle(props.id);
      }}
      onDblClick={() => {
        pointing.twice?.(props.id);
      }}
    >
      {props.children}
    </button>
  );
}
