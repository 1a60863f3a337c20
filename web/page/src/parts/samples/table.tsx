/** The parts of a board, on a table that nobody plays at: seats' plates, counters, piles, cards over each other, a fold. */
import { useState } from "preact/hooks";
import type { SeatLabel } from "~/boards";
import { CardPiece, ShownCard, SmallCards } from "~/boards/french/cards";
import { PointingContext } from "~/boards/piece";
import { Says } from "~/boards/says";
import { SeatClock } from "~/boards/seats";
import { Fold, Overlap, Pile } from "~/boards/table/cards";
import { Count, Plate } from "~/boards/table/seats";
import { Fan, Table } from "~/boards/table/table";
import { Play, Trick } from "~/boards/table/trick";
import { FrenchBack, FrenchCard, NoCard } from "~/cards/french";
import { t } from "~/i18n";
import "~/boards/french/board.css";

const HAND = [1, 3, 5, 9, 12, 14, 19, 22, 27, 31, 36, 40, 45, 52];
/** The number of cards of the hand that can be chosen. */
const OPEN_COUNT = 6;
const SAY = "say:sample";

export function TableSample() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(["hand:1"]));
  const open = new Set([...HAND.slice(0, OPEN_COUNT).map((card) => `hand:${card}`), SAY]);
  const toggle = (piece: string) => {
    setChosen((before) => new Set(before.has(piece) ? [...before].filter((id) => id !== piece) : [...before, piece]));
  };
  const seats: readonly SeatLabel[] = [
    { name: t("parts.you") },
    { name: t("parts.toMove") },
    { name: t("parts.away"), connected: false },
    { name: t("parts.out") },
  ];
  const plate = (seat: number) => (
    <Plate key={seat} seats={seats} seat={seat} turn={seat === 1} isOut={seat === 3} role={t("parts.role")}>
      <div class="plate-counts">
        <Count name={t("parts.counter")} value={12} />
        {seat === 1 && <SmallCards cards={HAND.slice(0, 3)} />}
      </div>
    </Plate>
  );
  return (
    <SeatClock.Provider value={(seat) => (seat === 0 ? <span class="clock">9:59</span> : null)}>
      <PointingContext.Provider value={{ open, chosen, toggle }}>
        <Table
          class="french"
          facts={<Count name={t("parts.counter")} value={3} />}
          others={[1, 2, 3].map(plate)}
          own={plate(0)}
          near={
            <>
              <Says label={t("parts.say")} sayings={[{ id: SAY, label: t("parts.saying") }]} />
              <Fan count={HAND.length} label={t("parts.hand")}>
                {HAND.map((card) => (
                  <CardPiece key={card} id={`hand:${card}`} card={card} />
                ))}
              </Fan>
            </>
          }
          more={
            <Fold name={t("parts.fold")}>
              <SmallCards cards={HAND} />
            </Fold>
          }
        >
          <div class="row">
            <Pile name={t("parts.pile")} value={24}>
              <FrenchBack />
            </Pile>
            <Pile name={t("parts.emptyPile")}>
              <NoCard />
            </Pile>
            <Pile name={t("parts.besidePile")} value={7} beside>
              <span class="card">
                <FrenchCard card={20} />
              </span>
            </Pile>
            <Pile name={t("parts.trick")}>
              <Overlap>
                <ShownCard card={8} />
                <ShownCard card={10} />
                <ShownCard card={13} class="fresh" />
              </Overlap>
            </Pile>
          </div>
          <div class="row">
            <Trick shape="lines" label={t("parts.battle")} result={t("parts.taken")}>
              {[0, 1].map((seat) => (
                <Play key={seat} name={seats[seat]?.name ?? ""} took={seat === 1}>
                  <SmallCards cards={HAND.slice(3 * seat, 3 * seat + 3)} />
                </Play>
              ))}
            </Trick>
            <Trick shape="newest">
              {[0, 1].map((seat) => (
                <Play key={seat} name={seats[seat]?.name ?? ""} caption={t("parts.role")} best={seat === 1}>
                  <SmallCards cards={HAND.slice(6 + 2 * seat, 8 + 2 * seat)} />
                </Play>
              ))}
            </Trick>
          </div>
        </Table>
      </PointingContext.Provider>
    </SeatClock.Provider>
  );
}
