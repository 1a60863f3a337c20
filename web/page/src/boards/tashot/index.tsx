/** Tashot's board: the card that may be taken, everybody's discards and open melds, the hand with the card drawn. */
import type { BoardProps, GameBoard, SeatLabel, ViewOf } from "~/boards";
import { Piece } from "~/boards/piece";
import { CardPieces, Cards, Heading } from "~/boards/kamikisen/cards";
import { parts, range } from "~/boards/kamikisen/lists";
import { strengthPiece } from "~/boards/kamikisen/readings";
import { Says } from "~/boards/kamikisen/says";
import { SeatTable } from "~/boards/kamikisen/seats";
import { Empty, type Fact, Frame } from "~/boards/kamikisen/table";
import { asStrength, seatName, signed } from "~/boards/kamikisen/words";
import { DECLINE, WIN, describe, due, lead, narrate, offeredPiece, touches } from "~/boards/tashot/words";
import { KamikisenCard } from "~/cards/kamikisen";
import { faceLabel, faceOfCard, facesOfCards } from "~/cards/kamikisen_names";
import { t } from "~/i18n";
import "~/boards/kamikisen/board.css";

type View = ViewOf<"tashot">;
const STRENGTHS = 11;

function Board({ view, seats, seat, events }: BoardProps<"tashot">) {
    const opened = events.flatMap(({ kind }) => (kind.case === "opened" ? [kind.value.seat] : []));
    return (
        <Frame facts={facts(view)} table={<Table view={view} seats={seats} />}>
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
            <Says
                after
                label={t("kamikisen.reading")}
                sayings={range(1, STRENGTHS).map((strength) => ({
                    id: strengthPiece(strength),
                    label: asStrength(strength),
                }))}
            />
            <Seats view={view} seats={seats} nearest={seat} opened={opened} />
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
function Table({ view, seats }: { view: View; seats: readonly SeatLabel[] }) {
    const discards = parts(view.discards, view.discardCounts);
    return (
        <>
            {view.offered !== undefined && view.turn !== undefined && (
                <section class="kami-area">
                    <Heading>{t("tashot.offered", { name: seatName(seats, view.turn) })}</Heading>
                    <Piece
                        id={offeredPiece(view.offered)}
                        label={faceLabel(faceOfCard(view.offered))}
                        class="card fresh"
                    >
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
            <section class="kami-area kami-discards" aria-label={t("tashot.discards")}>
                <Heading>{t("tashot.discards")}</Heading>
                {view.discards.length === 0 ? (
                    <Empty>{t("tashot.nothing")}</Empty>
                ) : (
                    <dl>
                        {discards.map((cards, seat) => (
                            <div key={seat}>
                                <dt>{seatName(seats, seat)}</dt>
                                <dd>{cards.length > 0 ? <Cards faces={facesOfCards(cards)} small /> : "–"}</dd>
                            </div>
                        ))}
                    </dl>
                )}
            </section>
            <p class="kami-wanted">{due(view, seats)}</p>
        </>
    );
}

function Seats(props: { view: View; seats: readonly SeatLabel[]; nearest: number | null; opened: readonly number[] }) {
    const { view } = props;
    return (
        <SeatTable
            seats={props.seats}
            scores={view.scores}
            turn={view.turn}
            nearest={props.nearest}
            dealer={view.dealer}
            columns={[
                { title: t("tashot.thisDeal"), isNumber: true, cell: (seat) => signed(view.paid[seat] ?? 0) },
                { title: t("kamikisen.cards"), isNumber: true, cell: (seat) => view.handSizes[seat] },
                {
                    title: t("tashot.open"),
                    cell: (seat) => (
                        <Cards
                            faces={facesOfCards(view.melds.find((one) => one.seat === seat)?.meld?.cards ?? [])}
                            fresh={props.opened.includes(seat)}
                            small
                        />
                    ),
                },
            ]}
        />
    );
}

export const board: GameBoard<"tashot"> = { Board, lead, touches, describe, narrate };
