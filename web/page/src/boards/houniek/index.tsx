/** Houniek's board: the melds of the round, the newest to be beaten, and the hand. */
import type { BoardProps, EventOf, GameBoard, ViewOf } from "~/boards";
import { CardFold, CardPieces } from "~/boards/kamikisen/cards";
import { useChosenCards } from "~/boards/kamikisen/readings_said";
import { Says } from "~/boards/says";
import { kamiPlates } from "~/boards/kamikisen/seats";
import { Frame, type Meld, Round } from "~/boards/kamikisen/table";
import { seatName } from "~/boards/seats";
import { lastPlays } from "~/boards/table/trick";
import { beyond } from "~/boards/houniek/beyond";
import { readingName, readingPiece, readingsOf } from "~/boards/houniek/melds";
import { PASS, asked, describe, lead, narrate, readingOf, touches } from "~/boards/houniek/words";
import { faceOfCard, facesOfCards } from "~/cards/kamikisen_names";
import { t } from "~/i18n";
import "~/boards/kamikisen/board.css";

type View = ViewOf<"houniek">;
const MAX_DRAWN_CARDS = 2;

function Board({ view, seats, seat, events, eventsSoFar = events }: BoardProps<"houniek">) {
  const drawn = events.flatMap(({ kind }) =>
    kind.case === "received" && kind.value.cards.length <= MAX_DRAWN_CARDS ? kind.value.cards : [],
  );
  return (
    <Frame
      plates={kamiPlates({
        seats,
        scores: view.scores,
        turn: view.turn,
        nearest: seat,
        dealer: view.dealer,
        note: (seatIndex) => inRound(view, seatIndex),
        columns: [{ title: t("kamikisen.cards"), cell: (seatIndex) => view.handSizes[seatIndex] }],
      })}
      facts={[
        { name: t("kamikisen.deal"), value: view.deal + 1 },
        { name: t("kamikisen.round"), value: view.round + 1 },
        { name: t("kamikisen.stock"), value: view.stock },
      ]}
      table={
        <Round
          melds={view.table.map(asMeld)}
          before={lastPlays(eventsSoFar, laidIn, beginsRound).map(asMeld)}
          seats={seats}
          fresh={events.some(({ kind }) => kind.case === "laid")}
          empty={t("kamikisen.toLead", { name: seatName(seats, view.leader) })}
        />
      }
      more={<CardFold label={t("houniek.cleared")} faces={facesOfCards(view.cleared)} />}
    >
      <p class="kami-note">{t("houniek.order")}</p>
      <CardPieces
        area="hand"
        faces={facesOfCards(view.hand)}
        label={t("kamikisen.hand")}
        fresh={drawn.map((card) => faceOfCard(card).code)}
      />
      <Says sayings={[{ id: PASS, label: t("kamikisen.pass") }]} />
      <Readings hand={view.hand} />
    </Frame>
  );
}

type Laid = View["table"][number];

function laidIn({ kind }: EventOf<"houniek">): Laid | undefined {
  return kind.case === "laid" ? kind.value : undefined;
}

function beginsRound({ kind }: EventOf<"houniek">): boolean {
  return kind.case === "roundBegan";
}

function asMeld({ seat, meld }: Laid): Meld {
  const cards = meld?.cards ?? [];
  const reading = readingOf(meld);
  return {
    seat,
    faces: facesOfCards(cards),
    caption: reading === undefined ? "" : readingName(reading, cards.length),
  };
}

/** What the chosen cards may count as. */
function Readings({ hand }: { hand: readonly number[] }) {
  const cards = useChosenCards("hand", hand, facesOfCards(hand));
  return (
    <Says
      label={t("houniek.reading")}
      sayings={readingsOf(cards).map((reading) => ({
        id: readingPiece(reading),
        label: readingName(reading, cards.length),
      }))}
    />
  );
}

/** What a seat has done in this round. */
function inRound(view: View, seat: number): string {
  const newest = view.table.at(-1)?.seat;
  if (newest === undefined) return "";
  if (seat === newest) return t("kamikisen.newest");
  if (view.turn === undefined) return "";
  const count = view.handSizes.length;
  const place = (seatIndex: number) => (seatIndex - newest + count) % count;
  return place(seat) < place(view.turn) ? t("kamikisen.hasPassed") : "";
}

export const board: GameBoard<"houniek"> = { Board, lead, touches, ask: asked, describe, beyond, narrate };
