/** Napoleon's board: five seats around the trick, the bid and who is on whose side, the hand, and what Napoleon says. */
import type { BoardProps, EventOf, GameBoard, SeatLabel, ViewOf } from "~/boards";
import { CardPiece, ShownCard, SmallCards } from "~/boards/french/cards";
import { CardRow, Fold } from "~/boards/table/cards";
import { Count, Plate, inOrder, plates } from "~/boards/table/seats";
import { Fan, Table } from "~/boards/table/table";
import { Play, Trick } from "~/boards/table/trick";
import { seatName, signed } from "~/boards/seats";
import { inHandOrder } from "~/boards/hand_order";
import { Auction, Naming } from "~/boards/napoleon/saying";
import {
  SEAT_COUNT,
  TRICK_COUNT,
  asked,
  bidName,
  callName,
  describe,
  lead,
  narrate,
  touches,
} from "~/boards/napoleon/words";
import { FrenchCard, NoCard } from "~/cards/french";
import { cardCode, cardName, rankOf } from "~/cards/french_names";
import { NapoleonPhase } from "~/gen/fudaba/v1/napoleon_pb";
import { t } from "~/i18n";
import "~/boards/french/board.css";
import "~/boards/napoleon/napoleon.css";

type View = ViewOf<"napoleon">;

function Board(props: BoardProps<"napoleon">) {
  const { view, seats, seat, events, eventsSoFar = events } = props;
  const played = events.flatMap(({ kind }) => (kind.case === "played" ? [kind.value.card as number] : []));
  const { own, others } = plates(SEAT_COUNT, seat, (seatIndex) => (
    <SeatPlate key={seatIndex} view={view} seats={seats} seat={seatIndex} />
  ));
  return (
    <Table
      class="french napoleon"
      facts={
        <>
          <Count name={t("napoleon.deal")} value={view.deal + 1} />
          <span>{due(view, seats)}</span>
          <Contract view={view} seats={seats} />
        </>
      }
      others={others}
      own={own}
      near={
        view.hand.length > 0 && (
          <Fan count={view.hand.length} label={t("napoleon.hand")} class="hand">
            {inHandOrder(view.hand, highRank).map((card) => (
              <CardPiece
                key={card}
                id={`hand:${cardCode(card)}`}
                card={card}
                class={card === view.named ? "fresh" : ""}
                note={card === view.named ? t("napoleon.adjutantCard") : undefined}
              />
            ))}
          </Fan>
        )
      }
      more={<Earlier view={view} seats={seats} />}
    >
      {(view.leader !== undefined || isTaken(view)) && (
        <Trick shape="seats">
          {inOrder(SEAT_COUNT, seat).map((seatIndex, place) => (
            <Played key={seatIndex} view={view} seats={seats} seat={seatIndex} place={place} fresh={played} />
          ))}
        </Trick>
      )}
      <LastTrick view={view} seats={seats} taken={lastTaken(eventsSoFar)} />
      <Auction />
      <Naming />
    </Table>
  );
}

/** By which a hand is sorted: an ace stands above the king, and a joker above the ace. */
function highRank(card: number): number {
  const rank = rankOf(card);
  return rank === 0 ? 13 : (rank + 11) % 13;
}

function due(view: View, seats: readonly SeatLabel[]): string {
  const name = view.turn === undefined ? "" : seatName(seats, view.turn);
  switch (view.phase) {
    case NapoleonPhase.AUCTION:
      return t("napoleon.speaks", { name });
    case NapoleonPhase.EXCHANGE:
      return t("napoleon.buries", { name });
    case NapoleonPhase.NAMING:
      return t("napoleon.names", { name });
    case NapoleonPhase.TRICKS:
      return t("napoleon.trick", { name, number: view.winners.length + 1, of: TRICK_COUNT });
    default:
      return t("napoleon.over");
  }
}

/** The highest bid, the adjutant's card, and what is buried where this is known. */
function Contract(props: { view: View; seats: readonly SeatLabel[] }) {
  const { view, seats } = props;
  const named: number = view.named;
  if (view.napoleon === undefined) return null;
  return (
    <div class="line contract">
      <Count
        name={t(view.phase === NapoleonPhase.AUCTION ? "napoleon.highestBid" : "napoleon.contract")}
        value={`${bidName(view.number, view.trump)}, ${seatName(seats, view.napoleon)}`}
      />
      {named > 0 && (
        <span class="shown">
          <span class="what">{t("napoleon.adjutantCard")}</span> <SmallCards cards={[named]} />
        </span>
      )}
      {view.buried.length > 0 && (
        <span class="shown">
          <span class="what">{t("napoleon.buriedCards")}</span> <SmallCards cards={view.buried} />
        </span>
      )}
    </div>
  );
}

function SeatPlate(props: { view: View; seats: readonly SeatLabel[]; seat: number }) {
  const { view, seats, seat } = props;
  const said = view.calls.filter((_, index) => (view.dealer + 1 + index) % SEAT_COUNT === seat).at(-1);
  return (
    <Plate seats={seats} seat={seat} turn={view.turn === seat} role={roleOf(view, seat)}>
      <div class="line">
        {view.phase === NapoleonPhase.AUCTION ? (
          <span>{said === undefined ? "–" : callName(said)}</span>
        ) : (
          <Count name={t("napoleon.honours")} value={view.honours[seat] ?? 0} />
        )}
        <Count name={t("napoleon.score")} value={signed(view.scores[seat] ?? 0)} />
      </div>
    </Plate>
  );
}

/** What a seat is, for all that this view knows. */
function roleOf(view: View, seat: number): string | undefined {
  if (view.phase === NapoleonPhase.AUCTION) return seat === view.dealer ? t("napoleon.dealer") : undefined;
  if (seat === view.napoleon) return t(seat === view.adjutant ? "napoleon.alone" : "napoleon.napoleon");
  if (seat === view.adjutant) return t("napoleon.adjutant");
  return view.adjutant === undefined ? undefined : t("napoleon.coalition");
}

/** Whether the trick that was taken last still lies there: until its winner leads to the next one. */
function isTaken(view: View): boolean {
  return view.trick.length === 0 && view.winners.length > 0;
}

/** The card of a seat in the trick in progress, or in the one that was taken just now. */
function Played(props: {
  view: View;
  seats: readonly SeatLabel[];
  seat: number;
  place: number;
  fresh: readonly number[];
}) {
  const { view, seat } = props;
  const taken = isTaken(view);
  const leader = (taken ? (view.winners.at(-2) ?? view.napoleon) : view.leader) ?? 0;
  const cards = taken ? view.tricks.slice(-SEAT_COUNT) : view.trick;
  const card = cards[(seat - leader + SEAT_COUNT) % SEAT_COUNT];
  const took = taken && view.winners.at(-1) === seat;
  return (
    <Play name={seatName(props.seats, seat)} place={props.place} took={took}>
      {card === undefined ? (
        <span class="card">
          <NoCard />
        </span>
      ) : (
        <ShownCard card={card} class={!took && props.fresh.includes(card) ? "fresh" : ""} label={cardIn(card, took)} />
      )}
    </Play>
  );
}

type Taken = Extract<EventOf<"napoleon">["kind"], { case: "trickTaken" }>["value"];

function lastTaken(events: readonly EventOf<"napoleon">[]): Taken | undefined {
  return events.findLast(({ kind }) => kind.case === "trickTaken")?.kind.value as Taken | undefined;
}

/** Who took the last trick, with its cards where they do not lie there; that of a deal stands until somebody is Napoleon. */
function LastTrick(props: { view: View; seats: readonly SeatLabel[]; taken: Taken | undefined }) {
  const { view, seats, taken } = props;
  const ofDealBefore = view.phase === NapoleonPhase.AUCTION ? taken : undefined;
  const winner = view.winners.at(-1) ?? ofDealBefore?.winner;
  if (winner === undefined) return null;
  const cards: readonly number[] = ofDealBefore?.cards ?? view.tricks.slice(-SEAT_COUNT);
  return (
    <div class="line shown">
      <span class="what">{t("napoleon.lastTrick", { name: seatName(seats, winner) })}</span>
      {!isTaken(view) && <SmallCards cards={cards} />}
    </div>
  );
}

/** The auction and all tricks of the deal, each card under its seat. */
function Earlier(props: { view: View; seats: readonly SeatLabel[] }) {
  const { view, seats } = props;
  const first = (view.dealer + 1) % SEAT_COUNT;
  const rounds = Array.from({ length: Math.ceil(view.calls.length / SEAT_COUNT) }, (_, round) => round * SEAT_COUNT);
  return (
    <>
      {view.calls.length > 0 && (
        <Fold name={t("napoleon.auction", { count: view.calls.length })}>
          <SeatTable seats={seats} first={first}>
            {rounds.map((from) => (
              <tr key={from}>
                {view.calls.slice(from, from + SEAT_COUNT).map((call, index) => (
                  <td key={index}>{callName(call)}</td>
                ))}
              </tr>
            ))}
          </SeatTable>
          {view.thrownIn > 0 && <p>{t("napoleon.thrownInBefore", { count: view.thrownIn })}</p>}
        </Fold>
      )}
      {view.winners.length > 0 && (
        <Fold name={t("napoleon.tricks", { count: view.winners.length })}>
          <SeatTable seats={seats} first={0}>
            {view.winners.map((winner, trick) => (
              <TrickRow key={trick} view={view} trick={trick} winner={winner} />
            ))}
          </SeatTable>
        </Fold>
      )}
    </>
  );
}

function SeatTable(props: { seats: readonly SeatLabel[]; first: number; children: preact.ComponentChildren }) {
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            {inOrder(SEAT_COUNT, props.first).map((seat) => (
              <th key={seat} scope="col">
                {seatName(props.seats, seat)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}

function TrickRow(props: { view: View; trick: number; winner: number }) {
  const { view, trick, winner } = props;
  const leader = (trick === 0 ? view.napoleon : view.winners[trick - 1]) ?? 0;
  const cards = view.tricks.slice(SEAT_COUNT * trick, SEAT_COUNT * (trick + 1));
  return (
    <tr>
      {inOrder(SEAT_COUNT, 0).map((seat) => {
        const card = cards[(seat - leader + SEAT_COUNT) % SEAT_COUNT];
        return (
          <td key={seat} class={seat === winner ? "took" : ""}>
            {card !== undefined && (
              <CardRow label={cardIn(card, seat === winner)} small>
                <FrenchCard card={card} />
              </CardRow>
            )}
          </td>
        );
      })}
    </tr>
  );
}

function cardIn(card: number, took: boolean): string {
  return took ? t("napoleon.cardThatTook", { card: cardName(card) }) : cardName(card);
}

export const board: GameBoard<"napoleon"> = { Board, lead, touches, ask: asked, describe, narrate };
