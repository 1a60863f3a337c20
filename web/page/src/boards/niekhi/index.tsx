/** Niekhi's board: the melds on the table, hand, discard pile, what was named and who is known to hold what. */
import { useContext } from "preact/hooks";
import type { BoardProps, EventOf, GameBoard, SeatLabel, ViewOf } from "~/boards";
import { PointingContext } from "~/boards/piece";
import { CardFold, CardPieces, Cards } from "~/boards/kamikisen/cards";
import { Fold } from "~/boards/table/cards";
import { parts, range } from "~/boards/kamikisen/lists";
import { useChosenCards } from "~/boards/kamikisen/readings_said";
import { Says } from "~/boards/says";
import { kamiPlates } from "~/boards/kamikisen/seats";
import { Frame, type Meld, Round } from "~/boards/kamikisen/table";
import { seatName } from "~/boards/seats";
import { lastPlays } from "~/boards/table/trick";
import { meldWithStrength, readingName, readingPiece, readingsOf } from "~/boards/niekhi/melds";
import { DECLINE, PASS, asked, describe, lead, namePiece, narrate, touches } from "~/boards/niekhi/words";
import { faceLabel, faceOfStrength, facesOfStrengths, strengthWord } from "~/cards/kamikisen_names";
import { t } from "~/i18n";
import "~/boards/kamikisen/board.css";

type View = ViewOf<"niekhi">;
const STRENGTH_COUNT = 11;
const MAX_TURNS = 400;

function Board({ view, seats, seat, events, eventsSoFar = events }: BoardProps<"niekhi">) {
  const took = events.flatMap(({ kind }) => (kind.case === "took" && kind.value.seat === seat ? kind.value.cards : []));
  return (
    <Frame
      plates={kamiPlates({
        seats,
        scores: view.scores,
        turn: view.turn,
        nearest: seat,
        dealer: view.dealer,
        columns: [{ title: t("kamikisen.cards"), cell: (seatIndex) => view.handSizes[seatIndex] }],
      })}
      facts={[
        { name: t("kamikisen.deal"), value: view.deal + 1 },
        {
          name: t("niekhi.turn"),
          value: t("kamikisen.turnOf", { turn: Math.min(view.turns + 1, MAX_TURNS), most: MAX_TURNS }),
        },
        ...(view.generals > 0 ? [{ name: t("niekhi.generals"), value: view.generals }] : []),
      ]}
      table={
        <Round
          melds={view.table.map(asMeld)}
          before={lastPlays(eventsSoFar, laidIn, isBetweenRounds).map(asMeld)}
          seats={seats}
          fresh={events.some(({ kind }) => kind.case === "laid")}
          empty={
            view.turn === undefined ? t("kamikisen.over") : t("kamikisen.toLead", { name: seatName(seats, view.turn) })
          }
        />
      }
      more={<Known view={view} seats={seats} />}
    >
      <Generals view={view} />
      <CardPieces
        area="hand"
        faces={facesOfStrengths(view.hand)}
        label={t("kamikisen.hand")}
        fresh={took.map((strength) => faceOfStrength(strength).code)}
      />
      <Says sayings={[{ id: PASS, label: t("kamikisen.pass") }]} />
      <Readings hand={view.hand} />
    </Frame>
  );
}

type Laid = View["table"][number];

function laidIn({ kind }: EventOf<"niekhi">): Laid | undefined {
  return kind.case === "laid" ? kind.value : undefined;
}

function isBetweenRounds({ kind }: EventOf<"niekhi">): boolean {
  return kind.case === "cleared" || kind.case === "dealt";
}

function asMeld(laid: Laid): Meld {
  return { seat: laid.seat, faces: facesOfStrengths(laid.cards), caption: meldWithStrength(laid) };
}

/** What the chosen cards may count as. */
function Readings({ hand }: { hand: readonly number[] }) {
  const readings = readingsOf(useChosenCards("hand", hand, facesOfStrengths(hand)));
  return (
    <Says
      label={t("kamikisen.reading")}
      sayings={readings.map((reading) => ({ id: readingPiece(reading), label: readingName(reading) }))}
    />
  );
}

/** What generals can do: nothing, name strengths, take from the pile. */
function Generals({ view }: { view: View }) {
  const pointing = useContext(PointingContext);
  const canTake = [...(pointing?.open ?? []), ...(pointing?.chosen ?? [])].some((id) => id.startsWith("pile:"));
  return (
    <>
      <Says sayings={[{ id: DECLINE, label: t("niekhi.decline") }]} />
      <Says
        label={t("niekhi.nameOne")}
        sayings={range(1, STRENGTH_COUNT).map((strength) => ({
          id: namePiece(strength),
          label: faceLabel(faceOfStrength(strength)),
          text: strengthWord(strength),
        }))}
      />
      {canTake && <CardPieces area="pile" faces={facesOfStrengths(view.pile)} label={t("niekhi.takeFrom")} />}
    </>
  );
}

/** What everybody knows of hands, and of what has left the game. */
function Known({ view, seats }: { view: View; seats: readonly SeatLabel[] }) {
  const known = parts(view.knownCards, view.knownCounts);
  return (
    <div class="kami-folds">
      <CardFold label={t("niekhi.pile")} faces={facesOfStrengths(view.pile)} />
      <CardFold label={t("niekhi.named")} faces={facesOfStrengths(view.named)} />
      <CardFold label={t("niekhi.removed")} faces={facesOfStrengths(view.removed)} />
      {view.knownCards.length > 0 && (
        <Fold name={t("kamikisen.counted", { what: t("niekhi.known"), count: view.knownCards.length })}>
          <dl>
            {known.map((cards, seat) =>
              cards.length === 0 ? null : (
                <div key={seat}>
                  <dt>{seatName(seats, seat)}</dt>
                  <dd>
                    <Cards faces={facesOfStrengths(cards)} small />
                  </dd>
                </div>
              ),
            )}
          </dl>
        </Fold>
      )}
    </div>
  );
}

export const board: GameBoard<"niekhi"> = { Board, lead, touches, ask: asked, describe, narrate };
