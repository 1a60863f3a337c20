/** Mokkaik's board: the melds of the round, who has which public cards, the hand. */
import type { BoardProps, EventOf, GameBoard, SeatLabel, ViewOf } from "~/boards";
import { CardFold, CardPieces, Cards } from "~/boards/kamikisen/cards";
import { Fold } from "~/boards/table/cards";
import { parts } from "~/boards/kamikisen/lists";
import { Strengths } from "~/boards/kamikisen/readings_said";
import { Says } from "~/boards/says";
import { kamiPlates } from "~/boards/kamikisen/seats";
import { Frame, type Meld, Round } from "~/boards/kamikisen/table";
import { meldName } from "~/boards/kamikisen/words";
import { seatName } from "~/boards/seats";
import { lastPlays } from "~/boards/table/trick";
import { DISCARD, asked, describe, lead, narrate, touches } from "~/boards/mokkaik/words";
import { facesOfCards, strengthWord } from "~/cards/kamikisen_names";
import { t } from "~/i18n";
import "~/boards/kamikisen/board.css";

type View = ViewOf<"mokkaik">;

function Board({ view, seats, seat, events, eventsSoFar = events }: BoardProps<"mokkaik">) {
  const laid = view.laidBy.map((owner, place): Meld => {
    const cards = view.laid.slice(place * view.size, (place + 1) * view.size);
    return meldOf(owner, cards, place === view.laidBy.length - 1);
  });
  const before = lastPlays(eventsSoFar, laidIn, isBetweenRounds);
  return (
    <Frame
      plates={seatPlates(view, seats, seat)}
      facts={[
        { name: t("kamikisen.deal"), value: view.deal + 1 },
        { name: t("kamikisen.round"), value: view.round + 1 },
        { name: t("kamikisen.multiplier"), value: t("kamikisen.times", { factor: view.multiplier }) },
      ]}
      table={
        <>
          <Round
            melds={view.turn === undefined ? [] : laid}
            before={before.map(({ seat: owner, meld }, place) =>
              meldOf(owner, meld?.cards ?? [], place === before.length - 1),
            )}
            seats={seats}
            fresh={events.some(({ kind }) => kind.case === "laid")}
            empty={
              view.turn === undefined
                ? t("kamikisen.over")
                : t("kamikisen.toLead", { name: seatName(seats, view.leader) })
            }
          />
          {view.size > 0 && view.turn !== undefined && <p class="kami-wanted">{wanted(view, seats)}</p>}
        </>
      }
      more={<Earlier view={view} seats={seats} />}
    >
      <CardPieces area="hand" faces={facesOfCards(view.hand)} label={t("kamikisen.hand")} />
      <Says sayings={[{ id: DISCARD, label: t("mokkaik.sayDiscard") }]} />
      <Strengths hand={view.hand} />
    </Frame>
  );
}

function laidIn({ kind }: EventOf<"mokkaik">) {
  return kind.case === "laid" ? kind.value : undefined;
}

function isBetweenRounds({ kind }: EventOf<"mokkaik">): boolean {
  return kind.case === "roundWon";
}

function meldOf(seat: number, cards: readonly number[], isBest: boolean): Meld {
  return { seat, faces: facesOfCards(cards), caption: t(isBest ? "kamikisen.best" : "kamikisen.beaten") };
}

function wanted(view: View, seats: readonly SeatLabel[]): string {
  const colours = [
    ...(view.reds > 0 ? [t("mokkaik.reds", { count: view.reds })] : []),
    ...(view.size > view.reds ? [t("mokkaik.blacks", { count: view.size - view.reds })] : []),
  ];
  return t("mokkaik.wanted", {
    name: seatName(seats, view.leader),
    meld: meldName(view.form, view.size),
    colours: colours.join(t("kamikisen.comma")),
    strength: strengthWord(view.strength),
  });
}

function seatPlates(view: View, seats: readonly SeatLabel[], nearest: number | null) {
  return kamiPlates({
    seats,
    scores: view.scores,
    turn: view.turn,
    nearest,
    dealer: view.dealer,
    note: (seat) => inRound(view, seat),
    columns: [
      { title: t("kamikisen.cards"), cell: (seat) => view.handSizes[seat] },
      { title: t("mokkaik.public"), cell: (seat) => view.publicCounts[seat] },
      { title: t("mokkaik.discardCount"), cell: (seat) => view.discardCounts[seat] },
    ],
  });
}

/** What a seat has done in this round. */
function inRound(view: View, seat: number): string {
  if (view.turn === undefined || view.size === 0) return "";
  if (view.laidBy.includes(seat)) return t(seat === view.laidBy.at(-1) ? "kamikisen.best" : "kamikisen.beaten");
  const count = view.handSizes.length;
  const place = (seatIndex: number) => (seatIndex - view.leader + count) % count;
  return place(seat) < place(view.turn) ? t("mokkaik.discarded") : "";
}

function Earlier({ view, seats }: { view: View; seats: readonly SeatLabel[] }) {
  const kept = parts(view.publicCards, view.publicCounts);
  return (
    <div class="kami-folds">
      {view.publicCards.length > 0 && (
        <Fold name={t("kamikisen.counted", { what: t("mokkaik.publicCards"), count: view.publicCards.length })}>
          <dl>
            {kept.map((cards, seat) => (
              <div key={seat}>
                <dt>{seatName(seats, seat)}</dt>
                <dd>{cards.length > 0 ? <Cards faces={facesOfCards(cards)} small /> : "–"}</dd>
              </div>
            ))}
          </dl>
        </Fold>
      )}
      <CardFold label={t("mokkaik.beatenCards")} faces={facesOfCards(view.beaten)} />
      <CardFold label={t("mokkaik.ownDiscards")} faces={facesOfCards(view.discarded)} />
    </div>
  );
}

export const board: GameBoard<"mokkaik"> = { Board, lead, touches, ask: asked, describe, narrate };
