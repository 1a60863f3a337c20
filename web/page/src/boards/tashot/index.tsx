/** Tashot's board: the card that may be taken, everybody's discards and open melds, the hand with the card drawn. */
import type { ComponentChildren } from "preact";
import type { BoardProps, GameBoard, SeatLabel, ViewOf } from "~/boards";
import { Piece } from "~/boards/piece";
import { CardPieces, Cards, Heading } from "~/boards/kamikisen/cards";
import { parts } from "~/boards/kamikisen/lists";
import { Strengths } from "~/boards/kamikisen/readings_said";
import { Says } from "~/boards/says";
import { kamiPlates } from "~/boards/kamikisen/seats";
import { Empty, type Fact, Frame } from "~/boards/kamikisen/table";
import { seatName, signed } from "~/boards/seats";
import { DECLINE, WIN, asked, describe, due, lead, narrate, offeredPiece, touches } from "~/boards/tashot/words";
import { KamikisenCard } from "~/cards/kamikisen";
import { faceLabel, faceOfCard, facesOfCards } from "~/cards/kamikisen_names";
import { TashotPhase } from "~/gen/fudaba/v1/tashot_pb";
import { t } from "~/i18n";
import "~/boards/kamikisen/board.css";

type View = ViewOf<"tashot">;

function Board({ view, seats, seat, events }: BoardProps<"tashot">) {
  const opened = events.flatMap(({ kind }) => (kind.case === "opened" ? [kind.value.seat] : []));
  return (
    <Frame
      plates={seatPlates(view, seats, seat)}
      facts={facts(view)}
      table={<Table view={view} seats={seats} opened={opened} />}
    >
      <CardPieces
        area="hand"
        faces={facesOfCards(view.hand)}
        label={t("kamikisen.hand")}
        apart={view.drawn === undefined ? undefined : faceOfCard(view.drawn).code}
      />
      <Says
        sayings={[
          { id: WIN, label: t("tashot.sayWin") },
          { id: DECLINE, label: t("tashot.decline") },
        ]}
      />
      <Strengths hand={view.hand} offered={view.offered} />
    </Frame>
  );
}

function facts(view: View): Fact[] {
  const lights = { name: t("tashot.light"), value: <Cards faces={facesOfCards(view.lights)} small /> };
  return [
    { name: t("kamikisen.deal"), value: view.deal + 1 },
    { name: t("kamikisen.multiplier"), value: t("kamikisen.times", { factor: view.multiplier }) },
    { name: t("kamikisen.stock"), value: view.stock },
    ...(view.unfinished.length > 0 ? [{ name: t("kamikisen.round"), value: t("tashot.firstRound") }] : []),
    ...(view.lights.length > 0 ? [lights] : []),
  ];
}

/** The discarded card that may be taken, and what else everybody has discarded. */
function Table(props: { view: View; seats: readonly SeatLabel[]; opened: readonly number[] }) {
  const { view, seats, opened } = props;
  return (
    <>
      {view.offered !== undefined && view.turn !== undefined && (
        <section class="kami-area">
          <Heading>{t("tashot.offered", { name: seatName(seats, view.turn) })}</Heading>
          <Piece id={offeredPiece(view.offered)} label={faceLabel(faceOfCard(view.offered))} class="card fresh">
            <KamikisenCard face={faceOfCard(view.offered)} />
          </Piece>
        </section>
      )}
      {view.wonWith.length > 0 && view.winner !== undefined && (
        <section class="kami-area">
          <Heading>{t("tashot.wonWith", { name: seatName(seats, view.winner) })}</Heading>
          <Cards faces={facesOfCards(view.wonWith)} />
        </section>
      )}
      {view.melds.length > 0 && (
        <BySeat label={t("tashot.open")}>
          {view.melds.map((meld) => (
            <SeatCards
              key={meld.seat}
              name={seatName(seats, meld.seat)}
              cards={meld.meld?.cards ?? []}
              fresh={opened.includes(meld.seat)}
            />
          ))}
        </BySeat>
      )}
      {view.discards.length > 0 && (
        <BySeat label={t("tashot.discards")}>
          {parts(view.discards, view.discardCounts).map((cards, seat) => (
            <SeatCards key={seat} name={seatName(seats, seat)} cards={cards} />
          ))}
        </BySeat>
      )}
      {view.discards.length === 0 && view.offered === undefined && <Empty>{t("tashot.nothing")}</Empty>}
      <p class="kami-wanted">{due(view, seats)}</p>
    </>
  );
}

function BySeat(props: { label: string; children: ComponentChildren }) {
  return (
    <section class="kami-area kami-by-seat" aria-label={props.label}>
      <Heading>{props.label}</Heading>
      <dl>{props.children}</dl>
    </section>
  );
}

function SeatCards(props: { name: string; cards: readonly number[]; fresh?: boolean }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        {props.cards.length > 0 ? <Cards faces={facesOfCards(props.cards)} fresh={props.fresh === true} small /> : "–"}
      </dd>
    </div>
  );
}

function seatPlates(view: View, seats: readonly SeatLabel[], nearest: number | null) {
  return kamiPlates({
    seats,
    scores: view.scores,
    turn: view.phase === TashotPhase.WINDOW ? undefined : view.turn,
    nearest,
    dealer: view.dealer,
    columns: [
      { title: t("tashot.thisDeal"), cell: (seat) => signed(view.paid[seat] ?? 0) },
      { title: t("kamikisen.cards"), cell: (seat) => view.handSizes[seat] },
    ],
  });
}

export const board: GameBoard<"tashot"> = { Board, lead, touches, ask: asked, describe, narrate };
