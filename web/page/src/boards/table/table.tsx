/**
 * The parts of which every board is made: what the deal is like, who sits round the table in turn order, what lies on it,
 * and what the seat that looks has before it. Where a board has a window to itself, the table takes what room is left, and
 * cards are as large as that allows.
 */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { t } from "~/i18n";
import { useFlights } from "~/boards/table/motion";
import "~/boards/table/table.css";

/** More opponents than these do not all sit opposite: the first sits on the left, the last on the right. */
const MAX_SEATS_OPPOSITE = 2;

interface TableProps {
  /** The class of the game's own styles. */
  readonly class: string;
  /** What the deal is like, in a line. */
  readonly facts: ComponentChildren;
  /** The plates of the opponents in turn order, that of the next seat first. */
  readonly others: readonly ComponentChildren[];
  /** The plate of the seat that looks, or of the nearest one. */
  readonly own?: ComponentChildren;
  /** What lies on the table. */
  readonly children: ComponentChildren;
  /** What can be said, and the hand. */
  readonly near?: ComponentChildren;
  /** What need not be seen all the time. */
  readonly more?: ComponentChildren;
}

export function Table(props: TableProps) {
  const { others } = props;
  const boardRef = useRef<HTMLDivElement>(null);
  const overRef = useRef<HTMLDivElement>(null);
  useFlights(boardRef, overRef);
  const sides = others.length > MAX_SEATS_OPPOSITE;
  const [left, top, right] = sides ? [others.slice(0, 1), others.slice(1, -1), others.slice(-1)] : [[], others, []];
  return (
    <div class={`board ${props.class}${sides ? " has-sides" : ""}`} ref={boardRef}>
      <div class="board-facts">{props.facts}</div>
      <div class={`board-others count-${others.length}`}>
        <Side name="left">{left}</Side>
        <Side name="top">{top}</Side>
        <Side name="right">{right}</Side>
      </div>
      <div class="board-middle" role="group" aria-label={t("boards.table")} tabIndex={0} data-swipe>
        <div class="board-cloth">{props.children}</div>
        {props.more !== undefined && <div class="board-more">{props.more}</div>}
      </div>
      <div class="board-near">
        {props.own}
        {props.near}
      </div>
      <div class="board-flights" ref={overRef} aria-hidden="true" />
    </div>
  );
}

function Side(props: { name: "left" | "top" | "right"; children: readonly ComponentChildren[] }) {
  if (props.children.length === 0) return null;
  return (
    <div class={`board-side is-${props.name}`}>
      {props.children.map((plate, place) => (
        <div key={place} class="board-seat">
          {plate}
        </div>
      ))}
    </div>
  );
}

/** So many cards lie beside each other in a narrow window, and in a wide one, before another row begins. */
const IN_ROW = { narrow: 10, wide: 24 };

/** Cards in a hand: a row, which becomes a fan where there are more than fit, and several rows where there are very many. */
export function Fan(props: { count: number; label: string; class?: string; children: ComponentChildren }) {
  const count = Math.max(1, props.count);
  const columns = (most: number) => Math.ceil(count / Math.ceil(count / most));
  return (
    <div
      class={`fan-row ${props.class ?? ""}`}
      role="group"
      aria-label={props.label}
      style={{ "--narrow": columns(IN_ROW.narrow), "--wide": columns(IN_ROW.wide) }}
    >
      {props.children}
    </div>
  );
}
