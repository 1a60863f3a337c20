/** Nerts' board: the common foundations, what everybody sees of the others, and the piles of the seat that looks. */
import type { BoardProps, GameBoard, SeatLabel, ViewOf } from "~/boards";
import { ShownCard, SmallCards } from "~/boards/french/cards";
import { Fold, Pile } from "~/boards/table/cards";
import { Says } from "~/boards/says";
import { Count, Plate, inOrder } from "~/boards/table/seats";
import { Table } from "~/boards/table/table";
import { seatName, signed } from "~/boards/seats";
import { Layout } from "~/boards/nerts/layout";
import { RANK_COUNT, asked, describe, lead, narrate, obvious, pointsOf, topOf, touches } from "~/boards/nerts/words";
import { Piece } from "~/boards/piece";
import { FrenchBack, FrenchCard, NoCard } from "~/cards/french";
import { cardName, rankName, suitName } from "~/cards/french_names";
import { t } from "~/i18n";
import "~/boards/french/board.css";
import "~/boards/nerts/nerts.css";

type View = ViewOf<"nerts">;

function Board(props: BoardProps<"nerts">) {
  const { view, seats, seat } = props;
  const order = inOrder(view.seats.length, seat);
  const own = seat === null ? undefined : view.seats[seat];
  return (
    <Table
      class="french nerts"
      facts={
        <>
          <Count name={t("nerts.deal")} value={view.deal + 1} />
          {view.tick > 0 && <Count name={t("nerts.tick")} value={view.tick} />}
          {view.stockTurns > 0 && <Count name={t("nerts.turns")} value={`${view.stockTurns}/3`} />}
          {view.idle > 0 && <Count name={t("nerts.idle")} value={view.idle} />}
        </>
      }
      others={order
        .filter((seatIndex) => seatIndex !== seat)
        .map((seatIndex) => (
          <Other key={seatIndex} view={view} seats={seats} seat={seatIndex} whole={seat === null} />
        ))}
      own={seat !== null && <OwnPlate view={view} seats={seats} seat={seat} />}
      near={seat !== null && own !== undefined && <Own view={view} seats={seats} seat={seat} layout={own} />}
      more={
        <>
          {view.waste.length > 1 && (
            <Fold name={t("nerts.wasteBelow", { count: view.waste.length - 1 })}>
              <SmallCards cards={view.waste.slice(0, -1).toReversed()} />
            </Fold>
          )}
          <Owners view={view} seats={seats} />
        </>
      }
    >
      <Foundations {...props} />
    </Table>
  );
}

/** The top card of each foundation; complete ones are set aside, and a place is there for the next ace. */
function Foundations(props: BoardProps<"nerts">) {
  const { view, events } = props;
  const fresh = new Set(events.flatMap(({ kind }) => (kind.case === "founded" ? [kind.value.foundation] : [])));
  return (
    <div class="foundations" role="group" aria-label={t("nerts.foundations")}>
      {view.foundations.map((foundation, id) => {
        const whole = foundation.owners.length >= RANK_COUNT;
        const card = topOf(foundation);
        const label = t("nerts.foundationTop", { foundation: String(id), card: cardName(card) });
        return (
          <Piece
            key={id}
            id={`foundation:${id}`}
            label={label}
            class={`card ${whole ? "whole" : ""} ${fresh.has(id) ? "fresh" : ""}`}
          >
            <FrenchCard card={card} />
            <span class="pile-number">{id}</span>
          </Piece>
        );
      })}
      <Piece id="foundation:new" label={t("nerts.newFoundation")} class="card">
        <NoCard />
        <span class="pile-number">A</span>
      </Piece>
    </div>
  );
}

function SeatCounts(props: { view: View; seat: number }) {
  const { view, seat } = props;
  const layout = view.seats[seat];
  const points = pointsOf(view, seat);
  return (
    <div class="plate-counts">
      <Count name={t("nerts.founded")} value={layout?.founded ?? 0} />
      <Count name={t("nerts.thisDeal")} value={signed(points.deal)} />
      <Count name={t("nerts.total")} value={signed(view.scores[seat] ?? 0)} />
    </div>
  );
}

/** What everybody sees of a seat; its work piles as a whole in a fold where there is little room. */
function Other(props: { view: View; seats: readonly SeatLabel[]; seat: number; whole: boolean }) {
  const { view, seat } = props;
  const layout = view.seats[seat];
  if (layout === undefined) return null;
  const works = layout.workPiles.map((pile, at) => (
    <div key={at} class="line">
      <span class="what">{at}</span>
      {pile.cards.length > 0 ? <SmallCards cards={pile.cards} /> : <span>–</span>}
    </div>
  ));
  return (
    <Plate seats={props.seats} seat={seat}>
      <SeatCounts view={view} seat={seat} />
      <div class="seen">
        <Heap name={t("nerts.pileShort")} size={layout.nertsSize} card={layout.nertsTop} deck={seat} />
        <Heap name={t("nerts.wasteShort")} size={layout.wasteSize} card={layout.wasteTop} deck={seat} />
        <Heap name={t("nerts.stockShort")} size={layout.stockSize} deck={seat} />
        {!props.whole && (
          <span class="ends">
            {layout.workPiles.map((pile, at) => (
              <Small key={at} card={pile.cards.at(-1)} />
            ))}
          </span>
        )}
      </div>
      {props.whole ? works : <Fold name={t("nerts.workPiles")}>{works}</Fold>}
    </Plate>
  );
}

function Small(props: { card: number | undefined }) {
  if (props.card !== undefined && props.card > 0) return <ShownCard card={props.card} />;
  return (
    <span class="card">
      <NoCard />
    </span>
  );
}

/** A pile of which the top is seen, or its back, with its size. */
function Heap(props: { name: string; size: number; card?: number; deck: number }) {
  return (
    <Pile name={props.name} value={props.size} beside>
      {props.card !== undefined || props.size === 0 ? (
        <Small card={props.card} />
      ) : (
        <span class="card">
          <FrenchBack deck={props.deck} />
        </span>
      )}
    </Pile>
  );
}

function OwnPlate(props: { view: View; seats: readonly SeatLabel[]; seat: number }) {
  const { view, seats, seat } = props;
  return (
    <Plate seats={seats} seat={seat}>
      <SeatCounts view={view} seat={seat} />
    </Plate>
  );
}

/** This seat's own piles, and what it can say. */
function Own(props: { view: View; seats: readonly SeatLabel[]; seat: number; layout: View["seats"][number] }) {
  const { view, seats, seat, layout } = props;
  return (
    <section class="own" aria-label={seatName(seats, seat)}>
      <Says
        label={t("nerts.say")}
        sayings={[
          { id: "say:nerts", label: t("nerts.call") },
          { id: "say:wait", label: t("nerts.wait") },
        ]}
      />
      <Layout layout={layout} waste={view.waste} seat={seat} />
      {view.chosen !== undefined && (
        <p class="what">{t("nerts.chosen", { move: describe(view.chosen, view, { seat, seats }) })}</p>
      )}
    </section>
  );
}

/** Whose card each is on the foundations. */
function Owners(props: { view: View; seats: readonly SeatLabel[] }) {
  const { view, seats } = props;
  if (view.foundations.length === 0) return null;
  const names = (mask: number) => view.seats.flatMap((_, seat) => ((mask >> seat) & 1 ? [seatName(seats, seat)] : []));
  return (
    <Fold name={t("nerts.owners")}>
      <ol class="owners" start={0}>
        {view.foundations.map((foundation, id) => (
          <li key={id}>
            <b>{suitName(foundation.suit)}</b>{" "}
            {foundation.owners.map((mask, at) => `${rankName(at + 1)} ${names(mask).join(" + ")}`).join(", ")}
          </li>
        ))}
      </ol>
    </Fold>
  );
}

export const board: GameBoard<"nerts"> = { Board, lead, touches, obvious, ask: asked, describe, narrate };
