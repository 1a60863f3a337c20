/** Mokkaik's board: the melds of the round, who has which public cards, the hand. */
import type { BoardProps, GameBoard, SeatLabel, ViewOf } from "~/boards";
import { CardFold, CardPieces, Cards } from "~/boards/kamikisen/cards";
import { Fold } from "~/boards/table/cards";
import { parts } from "~/boards/kamikisen/lists";
import { Strengths } from "~/boards/kamikisen/readings_said";
import { Says } from "~/boards/says";
import { kamiPlates } from "~/boards/kamikisen/seats";
import { Empty, Frame, Laid } from "~/boards/kamikisen/table";
import { meldName } from "~/boards/kamikisen/words";
import { seatName } from "~/boards/seats";
import { DISCARD, asked, describe, lead, narrate, touches } from "~/boards/mokkaik/words";
import { facesOfCards, strengthWord } from "~/cards/kamikisen_names";
import { t } from "~/i18n";
import "~/boards/kamikisen/board.css";

type View = ViewOf<"mokkaik">;

function Board({ view, seats, seat, events }: BoardProps<"mokkaik">) {
  return (
    <Frame
      plates={seatPlates(view, seats, seat)}
      facts={[
        { name: t("kamikisen.deal"), value: view.deal + 1 },
        { name: t("kamikisen.round"), value: view.round + 1 },
        { name: t("kamikisen.multiplier"), value: t("kamikisen.times", { factor: view.multiplier }) },
      ]}
      table={<Round view={view} seats={seats} fresh={events.some(({ kind }) => kind.case === "laid")} />}
      more={<Earlier view={view} seats={seats} />}
    >
      <CardPieces area="hand" faces={facesOfCards(view.hand)} label={t("kamikisen.hand")} />
      <Says sayings={[{ id: DISCARD, label: t("mokkaik.sayDiscard") }]} />
      <Strengths hand={view.hand} />
    </Frame>
  );
}

/** What has to be laid, and the melds of the round; the last one is the best. */
function Round(props: { view: View; seats: readonly SeatLabel[]; fresh: boolean }) {
  const { view, seats } = props;
  if (view.turn === undefined) return <Empty>{t("kamikisen.over")}</Empty>;
  if (view.size === 0) return <Empty>{t("kamikisen.toLead", { name: seatName(seats, view.leader) })}</Empty>;
  const last = view.laidBy.length - 1;
  return (
    <>
      {view.laidBy.map((owner, place) => (
        <Laid
          key={place}
          faces={facesOfCards(view.laid.slice(place * view.size, (place + 1) * view.size))}
          owner={seatName(seats, owner)}
          caption={t(place === last ? "kamikisen.best" : "kamikisen.beaten")}
          best={place === last}
          fresh={props.fresh && place === last}
        />
      ))}
      <p class="kami-wanted">{wanted(view, seats)}</p>
    </>
  );
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
