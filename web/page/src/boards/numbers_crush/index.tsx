/** Numbers Crush's board: the base and the limits in force, who has how many cards, the hand, and what is said. */
import type { BoardProps, GameBoard, SeatLabel, ViewOf } from "~/boards";
import { CardPiece, ShownCard, SmallCards } from "~/boards/french/cards";
import { Fold, Overlap, Pile } from "~/boards/table/cards";
import { useReachable } from "~/boards/says";
import { Count, Plate, plates } from "~/boards/table/seats";
import { Fan, Table } from "~/boards/table/table";
import { seatName, signed } from "~/boards/seats";
import { Declarations, Sayings } from "~/boards/numbers_crush/declaring";
import { beyond, touches } from "~/boards/numbers_crush/moves";
import { asked, comingOf, describe, lead, limitsOf, narrate } from "~/boards/numbers_crush/words";
import { inHandOrder } from "~/boards/hand_order";
import { Piece } from "~/boards/piece";
import { FrenchBack } from "~/cards/french";
import { cardCode, cardName, rankName, rankOf, suitName } from "~/cards/french_names";
import { NumbersCrushPhase } from "~/gen/fudaba/v1/numbers_crush_pb";
import { type MessageKey, t } from "~/i18n";
import "~/boards/french/board.css";
import "~/boards/numbers_crush/numbers_crush.css";

type View = ViewOf<"numbersCrush">;

const DUE: Readonly<Record<NumbersCrushPhase, MessageKey>> = {
  [NumbersCrushPhase.UNSPECIFIED]: "crush.over",
  [NumbersCrushPhase.DRAW]: "crush.toDraw",
  [NumbersCrushPhase.SET]: "crush.toSet",
  [NumbersCrushPhase.GIVE]: "crush.toGive",
  [NumbersCrushPhase.MUST_DISCARD]: "crush.mustDiscard",
  [NumbersCrushPhase.MAY_DISCARD]: "crush.mayDiscard",
  [NumbersCrushPhase.EXTRA]: "crush.extra",
  [NumbersCrushPhase.RESET]: "crush.toReset",
  [NumbersCrushPhase.PENALTY]: "crush.penalty",
  [NumbersCrushPhase.ZERO_OUT]: "crush.zeroOutPause",
  [NumbersCrushPhase.COUNTER]: "crush.counterPause",
  [NumbersCrushPhase.OVER]: "crush.over",
};

function Board(props: BoardProps<"numbersCrush">) {
  const { view, seats, seat } = props;
  const limits = [...limitsOf(view, seats), ...comingOf(view, seats)];
  const name = view.turn === undefined ? "" : seatName(seats, view.turn);
  const { own, others } = plates(view.handSizes.length, seat, (seatIndex) => (
    <SeatPlate key={seatIndex} view={view} seats={seats} seat={seatIndex} own={seat} />
  ));
  return (
    <Table
      class="french crush"
      facts={
        <>
          <Count name={t("crush.deal")} value={view.deal + 1} />
          <Count name={t("crush.turnNumber")} value={view.turns} />
          <span>{t(DUE[view.phase], { name, count: view.cardsLeft })}</span>
        </>
      }
      others={others}
      own={own}
      near={
        <>
          <Sayings />
          <Declarations view={view} />
          {view.hand.length > 0 && (
            <Fan count={view.hand.length} label={t("crush.hand")} class="hand">
              {inHandOrder(view.hand, rankOf).map((card) => (
                <CardPiece
                  key={card}
                  id={`hand:${cardCode(card)}`}
                  card={card}
                  class={fresh(props, card) ? "fresh" : ""}
                />
              ))}
            </Fan>
          )}
        </>
      }
      more={<Earlier view={view} />}
    >
      <Middle {...props} />
      {limits.length > 0 && (
        <ul class="limits" aria-label={t("crush.limits")}>
          {limits.map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      )}
      {view.answered && <p class="what">{t("crush.answered")}</p>}
    </Table>
  );
}

/** Whether a card has just come into the hand. */
function fresh(props: BoardProps<"numbersCrush">, card: number): boolean {
  return props.events.some(({ kind }) => {
    if (kind.case === "received") return kind.value.cards.some((received: number) => received === card);
    return (kind.case === "penalised" || kind.case === "handed") && (kind.value.card as number) === card;
  });
}

/** The base, with the set that it is the top of if that was laid just now, and the stock. */
function Middle(props: BoardProps<"numbersCrush">) {
  const { view, events } = props;
  const last = events.findLast(({ kind }) => kind.case === "wereSet")?.kind;
  const laid: readonly number[] = last?.case === "wereSet" ? last.value.cards : [];
  const under = laid.at(-1) === view.base ? laid.slice(0, -1) : [];
  return (
    <div class="middle">
      <Pile name={t("crush.base")} value={baseName(view)}>
        <Overlap>
          {under.map((card) => (
            <ShownCard key={card} card={card} />
          ))}
          <ShownCard card={view.base} class={laid.length > 0 ? "fresh" : ""} />
        </Overlap>
      </Pile>
      <Pile name={t("crush.stock")} value={view.stock}>
        <FrenchBack />
      </Pile>
      <Pile name={t(view.reversed ? "crush.anticlockwise" : "crush.clockwise")}>
        <span class="direction" aria-hidden="true">
          {view.reversed ? "↺" : "↻"}
        </span>
      </Pile>
    </div>
  );
}

/** The base's number and suit, which a joker, a 10 as an ace or a 9 may have changed. */
function baseName(view: View): string {
  if (view.number === 0) return t("crush.declaredJoker");
  return t("french.card", { rank: rankName(view.number), suit: suitName(view.suit - 1) });
}

function SeatPlate(props: { view: View; seats: readonly SeatLabel[]; seat: number; own: number | null }) {
  const { view, seats, seat } = props;
  const known = [
    ...view.known.filter((_, at) => view.knownSeats[at] === seat),
    ...view.knownAlone.filter((_, at) => view.knownAloneSeats[at] === seat),
  ];
  const role = seat === view.zeroOut ? t("crush.zeroOut") : seat === view.dealer ? t("crush.dealer") : undefined;
  const reachable = useReachable();
  const plate = (
    <Plate seats={seats} seat={seat} turn={view.turn === seat} role={role}>
      <div class="line">
        <Count name={t("crush.cards")} value={view.handSizes[seat] ?? 0} />
        <Count name={t("crush.score")} value={signed(view.scores[seat] ?? 0)} />
      </div>
      {known.length > 0 && (
        <div class="line">
          <span class="what">{t(seat === props.own ? "crush.allKnow" : "crush.known")}</span>
          <SmallCards cards={known} />
        </div>
      )}
    </Plate>
  );
  const id = `seat:${seat}`;
  if (!reachable(id)) return plate;
  return (
    <Piece id={id} label={t("crush.giveTo", { name: seatName(seats, seat) })} class="seat-piece">
      {plate}
    </Piece>
  );
}

function Earlier(props: { view: View }) {
  const { view } = props;
  return (
    <>
      {view.penaltyCards.length > 0 && (
        <div class="line">
          <span class="what">{t("crush.lastPenalty")}</span>
          <SmallCards cards={view.penaltyCards} />
        </div>
      )}
      {view.pile.length > 0 && (
        <Fold name={t("crush.underBase", { count: view.pile.length })}>
          <SmallCards cards={view.pile} />
        </Fold>
      )}
      {view.hand.length > 0 && (
        <Fold name={t("crush.roles")}>
          <p>{t("crush.roleList", { joker: cardName(53) })}</p>
        </Fold>
      )}
    </>
  );
}

export const board: GameBoard<"numbersCrush"> = { Board, lead, touches, ask: asked, describe, beyond, narrate };
