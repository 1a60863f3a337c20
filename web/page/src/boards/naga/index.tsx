/** Naga's board: the islands with the table's cards, what each seat has won, and the hand. */
import type { BoardProps, EventOf, GameBoard, SeatLabel, ViewOf } from "~/boards";
import { CardRow, Fold } from "~/boards/table/cards";
import { Count, Plate, inOrder } from "~/boards/table/seats";
import { Fan, Table } from "~/boards/table/table";
import { Play, Trick } from "~/boards/table/trick";
import { seatName, signed } from "~/boards/seats";
import { inHandOrder } from "~/boards/hand_order";
import { Piece } from "~/boards/piece";
import { NagaPlace } from "~/gen/fudaba/v1/naga_pb";
import { Emblem, NagaCard } from "~/boards/naga/card";
import { categoryName } from "~/boards/naga/categories";
import { PLACES, attributeName, cardsAt, nagaCode, nagaName, nagaNames, placeName, trumpOf } from "~/boards/naga/names";
import { asked, describe, lead, narrate, touches } from "~/boards/naga/words";
import { NoCard } from "~/cards/french";
import { t } from "~/i18n";
import "~/boards/french/board.css";
import "~/boards/naga/naga.css";

type View = ViewOf<"naga">;
type Battled = Extract<EventOf<"naga">["kind"], { case: "battled" }>["value"];
const BATTLE_COUNT = 7;

function Board(props: BoardProps<"naga">) {
  const { view, seats, seat, events, eventsSoFar = events } = props;
  const [near = 0, far = 1] = inOrder(2, seat);
  const battle = eventsSoFar.findLast((event) => event.kind.case === "battled")?.kind.value as Battled | undefined;
  return (
    <Table
      class="french naga"
      facts={
        <>
          <Count name={t("naga.deal")} value={view.deal + 1} />
          <Count name={t("naga.battleNumber")} value={`${Math.min(view.battle + 1, BATTLE_COUNT)}/${BATTLE_COUNT}`} />
          <Count name={t("naga.stock")} value={view.stock} />
          <span>{due(view, seats)}</span>
        </>
      }
      others={[<NagaPlate key={far} view={view} seats={seats} seat={far} />]}
      own={<NagaPlate view={view} seats={seats} seat={near} />}
      near={view.hand.length > 0 && <Hand view={view} />}
      more={
        view.discarded.length > 0 && (
          <Fold name={t("naga.discarded", { count: view.discarded.length })}>
            <SmallNaga cards={view.discarded} />
          </Fold>
        )
      }
    >
      <div class={`field${battle === undefined ? "" : " with-battle"}`}>
        <div class="islands">
          {PLACES.map((place) => (
            <Island key={place} view={view} place={place} />
          ))}
        </div>
        {battle !== undefined && <Battle battle={battle} seats={seats} order={[near, far]} />}
      </div>
    </Table>
  );
}

/** What is due: a designation, a battle, or nothing any more. */
function due(view: View, seats: readonly SeatLabel[]): string {
  if (view.place === NagaPlace.UNSPECIFIED) return t("naga.toDesignate", { name: seatName(seats, view.toDesignate) });
  if (cardsAt(view.table, view.place).length === 0) return t("naga.over");
  return t("naga.forPlace", { place: placeName(view.place), trump: attributeName(trumpOf(view.place)) });
}

/** A place of the table: an island with its trump's emblem and its cards. */
function Island(props: { view: View; place: NagaPlace }) {
  const { view, place } = props;
  const cards = cardsAt(view.table, place);
  const trump = attributeName(trumpOf(place));
  const held = cards.length > 0 ? nagaNames(cards) : t("naga.empty");
  const label = t("naga.island", { place: placeName(place), trump, cards: held });
  const gone = place === NagaPlace.ELTAM ? 3 : 1;
  return (
    <Piece id={`place:${place}`} label={label} class={`island island-${place}${view.place === place ? " fought" : ""}`}>
      <svg class="land" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        <path d={SHORES[place % SHORES.length] ?? ""} />
      </svg>
      <span class="island-name">
        <Emblem attribute={trumpOf(place)} /> {placeName(place)}
      </span>
      <span class="island-cards">
        {cards.map((card) => (
          <NagaCard key={card} card={card} />
        ))}
        {cards.length === 0 && Array.from({ length: gone }, (_, index) => <NoCard key={index} />)}
      </span>
    </Piece>
  );
}

const SHORES = [
  "M8 20C20 2 40 8 55 4s35 2 40 22-4 30 1 48-18 24-38 21-36 6-48-8S14 50 6 42 2 30 8 20Z",
  "M12 12C28 0 46 8 66 5s30 14 29 32 6 28 0 44-26 16-44 14-34 8-44-10 4-28-3-44S4 20 12 12Z",
  "M5 30C8 8 30 6 48 7s38-8 46 14-2 28 2 46-14 30-36 26-40 6-50-12S2 50 5 30Z",
];

function NagaPlate(props: { view: View; seats: readonly SeatLabel[]; seat: number }) {
  const { view, seat } = props;
  const won = view.won[seat]?.cards ?? [];
  const role = view.dealer === seat ? t("naga.dealer") : t("naga.child");
  const turn = view.place === NagaPlace.UNSPECIFIED && view.toDesignate === seat;
  return (
    <Plate seats={props.seats} seat={seat} turn={turn} role={role}>
      <div class="line">
        <Count name={t("naga.won")} value={won.length} />
        <Count name={t("naga.score")} value={signed(view.scores[seat] ?? 0)} />
        {won.length > 0 && <SmallNaga cards={won} />}
      </div>
    </Plate>
  );
}

/** The cards without a number come last. */
function nagaRank(card: number): number {
  return Number(nagaCode(card).slice(1)) || Number.MAX_SAFE_INTEGER;
}

function Hand(props: { view: View }) {
  const committed = new Set(props.view.committed);
  return (
    <Fan count={props.view.hand.length} label={t("naga.hand")} class="hand">
      {inHandOrder(props.view.hand, nagaRank).map((card) => (
        <Piece
          key={card}
          id={`hand:${nagaCode(card)}`}
          label={committed.has(card) ? t("naga.committed", { card: nagaName(card) }) : nagaName(card)}
          class={`card${committed.has(card) ? " committed" : ""}`}
        >
          <NagaCard card={card} />
        </Piece>
      ))}
      {committed.size > 0 && <span class="what">{t("naga.waiting")}</span>}
    </Fan>
  );
}

/** The battle that was fought last, until there is another one: both triples side by side, and what they made. */
function Battle(props: { battle: Battled; seats: readonly SeatLabel[]; order: readonly number[] }) {
  const { battle, seats } = props;
  const result =
    battle.winner === undefined
      ? t("naga.tie", { cards: nagaNames(battle.prize) })
      : t("naga.takes", { name: seatName(seats, battle.winner), cards: nagaNames(battle.prize) });
  return (
    <Trick shape="lines" label={t("naga.battle", { place: placeName(battle.place) })} result={result}>
      {props.order.map((seat) => {
        const cards = battle.played[seat]?.cards ?? [];
        return (
          <Play key={seat} name={seatName(seats, seat)} took={seat === battle.winner}>
            <SmallNaga cards={cards} />
            <span class="what">{categoryName([...cards, ...battle.prize])}</span>
          </Play>
        );
      })}
    </Trick>
  );
}

function SmallNaga(props: { cards: readonly number[] }) {
  return (
    <CardRow label={nagaNames(props.cards)} small>
      {props.cards.map((card) => (
        <NagaCard key={card} card={card} />
      ))}
    </CardRow>
  );
}

export const board: GameBoard<"naga"> = { Board, lead, touches, ask: asked, describe, narrate };
