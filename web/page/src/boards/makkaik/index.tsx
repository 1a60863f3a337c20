/** Makkaik's board: the public cards, the pot, who is in with how much, the hand and what it makes. */
import type { ComponentChildren } from "preact";
import type { BoardProps, GameBoard, SeatLabel, ViewOf } from "~/boards";
import { CardPieces, Cards } from "~/boards/kamikisen/cards";
import { parts, range } from "~/boards/kamikisen/lists";
import { Says } from "~/boards/says";
import { kamiPlates } from "~/boards/kamikisen/seats";
import { BestMeld, Frame } from "~/boards/kamikisen/table";
import { meldName } from "~/boards/kamikisen/words";
import { bestMeld } from "~/boards/makkaik/best";
import { DRAW, FOLD, asked, describe, lead, narrate, potOf, stayPiece, touches } from "~/boards/makkaik/words";
import { faceOfCard, facesOfCards } from "~/cards/kamikisen_names";
import { MakkaikExchange, MakkaikPhase } from "~/gen/fudaba/v1/makkaik_pb";
import { t } from "~/i18n";
import "~/boards/kamikisen/board.css";

type View = ViewOf<"makkaik">;
const ROUND_COUNT = 3;
const MAX_BASE_VALUE = 5;
const HAND_CARDS = 3;

function Board({ view, seats, seat, events }: BoardProps<"makkaik">) {
  const fresh = events.flatMap(({ kind }) =>
    kind.case === "swapped" ? [kind.value.given] : kind.case === "kept" ? kind.value.cards : [],
  );
  const best = view.drawn.length > 0 ? undefined : bestMeld(view.hand, view.publicCards);
  return (
    <Frame
      plates={seatPlates(view, seats, seat)}
      facts={[
        { name: t("kamikisen.deal"), value: view.deal + 1 },
        { name: t("makkaik.phase"), value: phaseName(view) },
        { name: t("kamikisen.pot"), value: potOf(view) },
        ...(view.base > 0 ? [{ name: t("makkaik.base"), value: view.base }] : []),
      ]}
      table={
        <>
          <CardPieces
            area="public"
            faces={facesOfCards(view.publicCards)}
            label={t("makkaik.publicCards")}
            fresh={fresh.map((card) => faceOfCard(card).code)}
          />
          <CardPieces area="drawn" faces={facesOfCards(view.drawn)} label={t("makkaik.drawn")} />
        </>
      }
    >
      <CardPieces area="hand" faces={facesOfCards(view.hand)} label={t("kamikisen.hand")} />
      {best !== undefined && (
        <BestMeld name={meldName(best.form, best.cards.length)} faces={facesOfCards(best.cards)} />
      )}
      <Bets view={view} />
    </Frame>
  );
}

function phaseName(view: View): string {
  switch (view.phase) {
    case MakkaikPhase.EXCHANGE:
      return t("makkaik.exchange");
    case MakkaikPhase.KEEPING:
      return t("makkaik.keeping");
    case MakkaikPhase.BETTING:
      return t("makkaik.roundOf", { round: view.round + 1, rounds: ROUND_COUNT });
    default:
      return t("makkaik.over");
  }
}

function Bets({ view }: { view: View }) {
  return (
    <>
      <Says sayings={[{ id: DRAW, label: t("makkaik.sayDraw") }]} />
      <Says
        sayings={[
          { id: FOLD, label: t("kamikisen.fold") },
          { id: stayPiece(0), label: t("makkaik.sayStay", { base: view.base }) },
        ]}
      />
      <Says
        label={t("makkaik.bases")}
        sayings={range(1, MAX_BASE_VALUE).map((base) => ({
          id: stayPiece(base),
          label: t("makkaik.stayWith", { base }),
          text: base,
        }))}
      />
    </>
  );
}

function seatPlates(view: View, seats: readonly SeatLabel[], nearest: number | null) {
  const shown = parts(
    view.shown,
    view.shownBy.map(() => HAND_CARDS),
  );
  return kamiPlates({
    seats,
    scores: view.scores,
    turn: view.turn,
    nearest,
    dealer: view.dealer,
    note: (seat) => {
      const hand = shown[view.shownBy.indexOf(seat)];
      if (hand !== undefined) return <Cards faces={facesOfCards(hand)} small />;
      return view.staying.includes(seat) ? exchange(view, seat) : t("kamikisen.folded");
    },
    isOut: (seat) => !view.staying.includes(seat),
    columns: [{ title: t("kamikisen.paid"), cell: (seat) => view.paid[seat] }],
  });
}

/** How a seat has exchanged, with the public card that it took. */
function exchange(view: View, seat: number): ComponentChildren {
  const taken = view.taken[seat] ?? 0;
  switch (view.exchanges[seat]) {
    case MakkaikExchange.SWAPPED:
      return (
        <span class="kami-line">
          {t("makkaik.swapped")} {taken > 0 && <Cards faces={[faceOfCard(taken)]} small />}
        </span>
      );
    case MakkaikExchange.DREW:
      return t("makkaik.hasDrawn");
    default:
      return "";
  }
}

export const board: GameBoard<"makkaik"> = { Board, lead, touches, ask: asked, describe, narrate };
