/** The table of a board: what lies on it, whose it is, and what the deal is like. */
import type { ComponentChildren } from "preact";
import type { SeatLabel } from "~/boards";
import { Cards } from "~/boards/kamikisen/cards";
import { seatName } from "~/boards/seats";
import { Count } from "~/boards/table/seats";
import { Table } from "~/boards/table/table";
import { Play, Trick } from "~/boards/table/trick";
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

/** A meld of a round: whose it is, what it counts as, its cards. */
export interface Meld {
  readonly seat: number;
  readonly faces: readonly Face[];
  readonly caption: string;
}

/**
 * The melds of a round, of which the last is to be beaten. While nothing is laid, those of the round `before` stand there
 * with whoever took it, above what there is to say of the empty table.
 */
export function Round(props: {
  melds: readonly Meld[];
  before: readonly Meld[];
  seats: readonly SeatLabel[];
  fresh: boolean;
  empty: string;
}) {
  const { melds, before, seats } = props;
  const isOver = melds.length === 0;
  const shown = isOver ? before : melds;
  const last = shown.at(-1);
  if (last === undefined) return <Empty>{props.empty}</Empty>;
  return (
    <>
      <Trick shape="newest" {...(isOver && { result: t("kamikisen.unbeaten", { name: seatName(seats, last.seat) }) })}>
        {shown.map((meld, place) => (
          <Play
            key={place}
            name={seatName(seats, meld.seat)}
            caption={meld.caption}
            best={!isOver && meld === last}
            took={isOver && meld === last}
          >
            <Cards faces={meld.faces} fresh={props.fresh && !isOver && meld === last} />
          </Play>
        ))}
      </Trick>
      {isOver && <Empty>{props.empty}</Empty>}
    </>
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
