/** The table of a board: what lies on it, whose it is, and what the deal is like. */
import type { ComponentChildren } from "preact";
import { Cards } from "~/boards/kamikisen/cards";
import type { Face } from "~/cards/kamikisen_names";
import { t } from "~/i18n";

/** A number or a word with what it is. */
export interface Fact {
  readonly name: string;
  readonly value: ComponentChildren;
}

/** A board from top to bottom: what the deal is like, the table, and what follows below it. */
export function Frame(props: { facts: readonly Fact[]; table: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class="kami">
      <dl class="kami-facts">
        {props.facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="kami-table">{props.table}</div>
      {props.children}
    </div>
  );
}

/** A meld on the table: whose it is, what it counts as, its cards. */
export function Laid(props: {
  faces: readonly Face[];
  who: string;
  what: string;
  best?: boolean;
  fresh?: boolean;
  small?: boolean;
}) {
  return (
    <div class={`kami-laid${props.best === true ? " is-best" : ""}`}>
      <span class="kami-what">
        <b>{props.who}</b> {props.what}
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
