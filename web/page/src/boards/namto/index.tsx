/** Namto's board: the shared cards, the pot, who is in with how much, the hand and what it makes. */
import type { BoardProps, GameBoard, SeatLabel, ViewOf } from "~/boards";
import { CardPieces, Cards, Heading } from "~/boards/kamikisen/cards";
import { parts, range } from "~/boards/kamikisen/lists";
import { Says } from "~/boards/says";
import { kamiPlates } from "~/boards/kamikisen/seats";
import { BestMeld, Empty, type Fact, Frame } from "~/boards/kamikisen/table";
import { bestMeld } from "~/boards/namto/best";
import { CALL, FOLD, asked, betPiece, describe, lead, narrate, potOf, rankName, touches } from "~/boards/namto/words";
import { facesOfCards } from "~/cards/kamikisen_names";
import { NamtoPhase } from "~/gen/fudaba/v1/namto_pb";
import { number, t } from "~/i18n";
import "~/boards/kamikisen/board.css";

type View = ViewOf<"namto">;
const HAND_CARDS = 2;
/** The largest bet has four digits: no stack is larger than all stacks together. */
const PLACES = [1000, 100, 10, 1];

function Board({ view, seats, seat, events }: BoardProps<"namto">) {
  const best = bestMeld(view.hand, view.shared);
  return (
    <Frame
      plates={seatPlates(view, seats, seat)}
      facts={facts(view)}
      table={<Shared view={view} fresh={events.some(({ kind }) => kind.case === "opened")} />}
    >
      <CardPieces area="hand" faces={facesOfCards(view.hand)} label={t("kamikisen.hand")} />
      {best !== undefined && view.hand.length > 0 && (
        <BestMeld name={rankName(best.rank)} faces={facesOfCards(best.cards)} />
      )}
      <Says
        sayings={[
          { id: FOLD, label: t("kamikisen.fold") },
          { id: CALL, label: t("namto.sayCall") },
        ]}
      />
      <Bets />
    </Frame>
  );
}

function facts(view: View): Fact[] {
  const betting = { name: t("namto.bets"), value: t("namto.betRange", { least: view.minBet, most: view.maxBet }) };
  return [
    { name: t("kamikisen.deal"), value: view.deal + 1 },
    { name: t("kamikisen.round"), value: t("namto.roundOf", { round: view.round + 1, rounds: view.rounds }) },
    { name: t("kamikisen.pot"), value: potOf(view) },
    ...(view.phase === NamtoPhase.BETTING ? [betting] : []),
    ...(view.phase === NamtoPhase.CALLING ? [{ name: t("namto.highest"), value: view.minBet }] : []),
  ];
}

function Shared({ view, fresh }: { view: View; fresh: boolean }) {
  if (view.shared.length === 0) return <Empty>{t("namto.noneShared")}</Empty>;
  const newest = fresh ? -1 : view.shared.length;
  return (
    <section class="kami-area" aria-label={t("namto.shared")}>
      <Heading>{t("namto.shared")}</Heading>
      <div class="card-row">
        <Cards faces={facesOfCards(view.shared.slice(0, newest))} />
        <Cards faces={facesOfCards(view.shared.slice(newest))} fresh />
      </div>
    </section>
  );
}

/** The digits of which a bet is made, a row for each place that it can have. */
function Bets() {
  return PLACES.map((place, index) => (
    <Says
      key={place}
      {...(index === PLACES.length - 1 ? { label: t("namto.sayBet") } : {})}
      sayings={range(1, 9).map((digit) => ({
        id: betPiece(digit * place),
        label: number(digit * place),
      }))}
    />
  )).reverse();
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
      if (!view.playing.includes(seat)) return t("namto.sitsOut");
      return view.staying.includes(seat) ? "" : t("kamikisen.folded");
    },
    isOut: (seat) => !view.staying.includes(seat),
    columns: [
      { title: t("namto.stack"), cell: (seat) => number(view.stacks[seat] ?? 0) },
      { title: t("kamikisen.paid"), cell: (seat) => number(view.paid[seat] ?? 0) },
      { title: t("namto.bet"), cell: (seat) => number(view.bets[seat] ?? 0) },
    ],
  });
}

export const board: GameBoard<"namto"> = { Board, lead, touches, ask: asked, describe, narrate };
