/** Makhop's board: the roads with their ends, and the hand. */
import { useContext } from "preact/hooks";
import type { BoardProps, EventOf, GameBoard, ViewOf } from "~/boards";
import { Piece, PointingContext } from "~/boards/piece";
import { CardFold, CardPieces, Cards } from "~/boards/kamikisen/cards";
import { Fold, Pile } from "~/boards/table/cards";
import { range } from "~/boards/kamikisen/lists";
import { useChosenCards } from "~/boards/kamikisen/readings_said";
import { Says } from "~/boards/says";
import { kamiPlates } from "~/boards/kamikisen/seats";
import { Empty, type Fact, Frame } from "~/boards/kamikisen/table";
import { OPEN, asked, describe, endPiece, lead, narrate, roadPiece, touches } from "~/boards/makhop/words";
import { KamikisenCard } from "~/cards/kamikisen";
import { faceLabel, faceName, faceOfCard, facesOfCards } from "~/cards/kamikisen_names";
import { t } from "~/i18n";
import "~/boards/kamikisen/board.css";
import "~/boards/makhop/makhop.css";

type View = ViewOf<"makhop">;
const MAX_TURNS = 400;

function Board({ view, seats, seat, events }: BoardProps<"makhop">) {
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
      facts={facts(view)}
      table={<Roads view={view} fresh={freshRoads(view, events)} />}
      more={<Earlier view={view} />}
    >
      <CardPieces area="hand" faces={facesOfCards(view.hand)} label={t("kamikisen.hand")} />
      <NewEnd view={view} />
      <Says sayings={[{ id: OPEN, label: t("makhop.sayOpen") }]} />
    </Frame>
  );
}

function facts(view: View): Fact[] {
  return [
    { name: t("kamikisen.deal"), value: view.deal + 1 },
    {
      name: t("makhop.turn"),
      value: t("kamikisen.turnOf", { turn: Math.min(view.turns + 1, MAX_TURNS), most: MAX_TURNS }),
    },
    { name: t("kamikisen.stock"), value: view.stock },
    ...(view.idle > 0 ? [{ name: t("makhop.idle"), value: view.idle }] : []),
    ...(view.shuffles > 0 ? [{ name: t("makhop.shuffles"), value: view.shuffles }] : []),
  ];
}

/** The roads that have changed last. */
function freshRoads(view: View, events: readonly EventOf<"makhop">[]): number[] {
  const turned = events.filter(({ kind }) => kind.case === "turned" || kind.case === "opened").length;
  const laid = events.flatMap(({ kind }) =>
    kind.case === "extended" || kind.case === "joined" ? [kind.value.road] : [],
  );
  return [...laid, ...range(view.roads.length - turned, view.roads.length - 1)];
}

function Roads({ view, fresh }: { view: View; fresh: readonly number[] }) {
  if (view.roads.length === 0) {
    return <Empty>{t(view.turn === undefined ? "kamikisen.over" : "makhop.noRoads")}</Empty>;
  }
  return view.roads.map(({ cards }, road) => {
    const end = faceOfCard(cards.at(-1) ?? 0);
    const label = t("makhop.roadLabel", { road, card: faceLabel(end), count: cards.length });
    const asked = wanted(cards);
    return (
      <Pile key={road} name={t("makhop.road", { road })} value={asked}>
        <Piece id={roadPiece(road)} label={label} class={`card${fresh.includes(road) ? " fresh" : ""}`}>
          <span class={`makhop-pile${cards.length > 1 ? " is-long" : ""}`}>
            <KamikisenCard face={end} />
          </span>
        </Piece>
      </Pile>
    );
  });
}

/** Which of the chosen cards is the new end, once they add up to what the chosen roads ask for. */
function NewEnd({ view }: { view: View }) {
  const chosen = useContext(PointingContext)?.chosen;
  const cards = useChosenCards("hand", view.hand, facesOfCards(view.hand));
  const ends = view.roads.flatMap((road, place) => (chosen?.has(roadPiece(place)) ? road.cards.slice(-1) : []));
  if (sum(cards) !== sum(ends)) return null;
  return (
    <Says
      label={t("makhop.newEnd")}
      sayings={[...new Set(cards)].map((card) => ({ id: endPiece(card), label: faceName(faceOfCard(card)) }))}
    />
  );
}

function sum(cards: readonly number[]): number {
  return cards.reduce((total, card) => total + Number(faceOfCard(card).letter), 0);
}

/** What is to be laid on a road: its end's value, or any one card where it begins with a card without value. */
function wanted(cards: readonly number[]): string {
  const { letter } = faceOfCard(cards.at(-1) ?? 0);
  return /\d/.test(letter) ? t("makhop.wants", { value: letter }) : t("makhop.wantsAny");
}

function Earlier({ view }: { view: View }) {
  return (
    <div class="kami-folds">
      {view.roads.some(({ cards }) => cards.length > 1) && (
        <Fold name={t("makhop.roads")}>
          <dl>
            {view.roads.map(({ cards }, road) => (
              <div key={road}>
                <dt>{t("makhop.road", { road })}</dt>
                <dd>
                  <Cards faces={facesOfCards(cards)} small />
                </dd>
              </div>
            ))}
          </dl>
        </Fold>
      )}
      <CardFold label={t("makhop.vanished")} faces={facesOfCards(view.vanished)} />
      <CardFold label={t("makhop.stockCards")} faces={facesOfCards(view.stockCards)} />
    </div>
  );
}

export const board: GameBoard<"makhop"> = { Board, lead, touches, ask: asked, describe, narrate };
