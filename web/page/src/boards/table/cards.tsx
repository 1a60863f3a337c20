/** Cards that lie on a table: in a row, over each other, as a pile, or in a fold that is opened for them. */
import type { ComponentChildren } from "preact";
import { Count } from "~/boards/table/seats";

/** Cards that are only looked at, one picture for screen readers. */
export function CardRow(props: { label: string; small?: boolean; class?: string; children: ComponentChildren }) {
  return (
    <span
      class={`card-row${props.small === true ? " small" : ""} ${props.class ?? ""}`}
      role="img"
      aria-label={props.label}
    >
      {props.children}
    </span>
  );
}

/** Cards that lie over each other: of each the left edge is seen, and the last is whole. */
export function Overlap(props: { children: ComponentChildren }) {
  return <span class="overlap">{props.children}</span>;
}

/** A pile: what is seen of it, its name, and its size or what else there is to say of it. */
export function Pile(props: {
  name: string;
  value?: ComponentChildren;
  beside?: boolean;
  children: ComponentChildren;
}) {
  return (
    <div class={`pile${props.beside === true ? " beside" : ""}`}>
      {props.children}
      {props.value === undefined ? (
        <span class="what">{props.name}</span>
      ) : (
        <Count name={props.name} value={props.value} />
      )}
    </div>
  );
}

/** What need not be seen all the time. */
export function Fold(props: { name: string; children: ComponentChildren }) {
  return (
    <details class="fold">
      <summary>{props.name}</summary>
      <div>{props.children}</div>
    </details>
  );
}
