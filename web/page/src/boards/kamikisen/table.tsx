/** The table of a board: what lies on it, whose it is, and what the deal is like. */
import type { ComponentChildren } from "preact";
import { Cards } from "~/boards/kamikisen/cards";
import { Count } from "~/boards/table/seats";
import { Table } from "~/boards/table/table";
import type { Face } from "~/cards/kamikisen_names";
import { t } from "~/i18n";

/** A number or a word with what it is. */
export interface Fact {
  readonly name: string;
  readonly value: ComponentChildren;
}

/** A board of the Kamikisen games: what the deal is like, who sits there, the table, and what the nearest seat has. */
export function Frame(props: {
  facts: readonly Fact[];
  plates: { own: ComponentChildren; others: readonly ComponentChildren[] };
  table: ComponentChildren;
  children: ComponentChildren;
  more?: ComponentChildren;
}) {
  return (
    <Table
      class="kami"
      facts={props.facts.map(({ name, value }) => (
        <Count key={name} name={name} value={value} />
      ))}
      others={props.plates.others}
      own={props.plates.own}
      near={props.children}
      more={props.more}
    >
      <div class="kami-table">{props.table}</div>
    </Table>
  );
}

/** A meld on the table: whose it is, what it counts as, its cards. */
export function Laid(props: {
  faces: readonly Face[];
  owner: string;
  caption: string;
  best?: boolean;
  fresh?: boolean;
  small?: boolean;
}) {
  return (
    <div class={`kami-laid${props.best === true ? " is-best" : ""}`}>
      <span class="kami-what">
        <b>{props.owner}</b> {props.caption}
      </span>
      <Cards faces={props.faces} fresh={props.fresh === true} small={props.small === true} />
    </div>
  );
}

/** A table on which nothing lies. */
export function Empty(props: { children: ComponentChildren }) {
  return <p class="kami-empty">{props.children}</p>;
}

/** What the hand makes with the cards on the table. */
export function BestMeld(props: { name: string; faces: readonly Face[] }) {
  return (
    <div class="kami-line">
      <span class="kami-heading">{t("kamikisen.yourBest")}</span> <b>{props.name}</b>
      <Cards faces={props.faces} small />
    </div>
  );
}
