/** A first deal, step by step: a fixed deal that is played here, without a service, and says what each decision asks. */
import { useCallback, useMemo, useState } from "preact/hooks";
import type { PieceId, SeatLabel } from "~/boards";
import { type Choice, choicesFrom, legalMoves, toggled } from "~/boards/choices";
import { PointingContext } from "~/boards/piece";
import { language, t } from "~/i18n";
import { type Deal, loadDeal } from "~/learn/deals";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { BoardView } from "~/parts/match/board";
import { ReferenceCard } from "~/parts/match/reference_card";
import { narrated } from "~/parts/match/seats";
import "~/parts/match/match.css";
import "~/learn/learn.css";

const LEARNERS_SEAT = 0;
/** Of what happened since the last decision the latest is told: in a long deal much goes on between two prompts. */
const MAX_SHOWN_LINES = 8;

export default function Guided({ game }: { game: string }) {
  const shown = language.value;
  const deal = useLoad(useCallback(() => loadDeal(game, shown), [game, shown]));
  return (
    <Shown loaded={deal}>
      {(value) => (value === undefined ? <Nothing /> : <Table key={`${game} ${shown}`} game={game} deal={value} />)}
    </Shown>
  );
}

function Table({ game, deal }: { game: string; deal: Deal }) {
  const { board, positions } = deal;
  const [at, setAt] = useState(0);
  const [pointed, setPointed] = useState<ReadonlySet<PieceId>>(new Set());
  const [other, setOther] = useState("");
  const seats = useMemo(
    () => Array.from({ length: deal.seats }, (_, seat): SeatLabel => ({ name: nameOf(seat) })),
    [deal.seats],
  );
  const position = positions[at];
  const eventsSoFar = useMemo(() => positions.slice(0, at + 1).flatMap(({ events }) => events), [positions, at]);
  const legal = useMemo(
    () =>
      position === undefined ? { all: [] } : legalMoves(board, position.view, position.moves, position.moves.length),
    [board, position],
  );
  if (position === undefined) return null;
  const from = choicesFrom(legal, pointed);
  const best = position.move === undefined ? undefined : legal.all[position.move];
  const words = ({ move }: Choice): string => {
    const [made, seen] = [move.game.value, position.view.game.value];
    return made === undefined || seen === undefined ? "" : board.describe(made, seen, { seat: LEARNERS_SEAT, seats });
  };
  const play = (choice: Choice) => {
    setPointed(new Set());
    if (choice === best) {
      setOther("");
      setAt(at + 1);
    } else setOther(words(choice));
  };
  return (
    <section class="learn-deal" aria-label={t("learn.deal")}>
      <p class="row apart">
        <strong>{t("learn.deal")}</strong>
        <a href={`/games/${game}`}>{t("learn.leave")}</a>
      </p>
      <ul class="quiet small">
        {narrated(board, position.events, seats)
          .slice(-MAX_SHOWN_LINES)
          .map((line, place) => (
            <li key={place}>{line}</li>
          ))}
      </ul>
      <div class="sheet learn-prompt" role="status">
        {best !== undefined && (
          <span class="quiet small">{t("learn.step", { at: at + 1, count: positions.length - 1 })}</span>
        )}
        <p>{best === undefined ? deal.end : deal.prompts[at]}</p>
        {best !== undefined && other !== "" && <p>{t("learn.other", { move: other, best: words(best) })}</p>}
      </div>
      <PointingContext.Provider
        value={
          best && {
            open: from.open,
            chosen: pointed,
            toggle: (piece) => {
              setPointed(toggled(legal, pointed, piece));
            },
          }
        }
      >
        <div class="match-stage">
          <BoardView
            board={{ state: "there", value: board, again: nothing }}
            view={position.view}
            fresh={position.events}
            eventsSoFar={eventsSoFar}
            seats={seats}
            seat={LEARNERS_SEAT}
          />
        </div>
      </PointingContext.Provider>
      <p class="row">
        {pointed.size > 0 &&
          from.complete.slice(0, MAX_SHOWN_CARDS).map((choice) => (
            <button
              type="button"
              class="main"
              key={choice.index}
              onClick={() => {
                play(choice);
              }}
            >
              {t("learn.play", { move: words(choice) })}
            </button>
          ))}
        {best !== undefined && (
          <button
            type="button"
            onClick={() => {
              play(best);
            }}
          >
            {t("learn.playSensible", { move: words(best) })}
          </button>
        )}
        {best === undefined && <End game={game} again={setAt} />}
      </p>
      <ReferenceCard game={game} />
    </section>
  );
}

/** More readings of the same cards than these nobody needs to learn at once. */
const MAX_SHOWN_CARDS = 6;

function End({ game, again }: { game: string; again: (at: number) => void }) {
  return (
    <>
      <a class="button main" href={`/play?game=${game}`}>
        {t("learn.real")}
      </a>
      <button
        type="button"
        onClick={() => {
          again(0);
        }}
      >
        {t("learn.again")}
      </button>
    </>
  );
}

function nameOf(seat: number): string {
  return seat === LEARNERS_SEAT ? t("match.yourself") : t("learn.opponent", { number: seat + 1 });
}

function nothing(): void {
  // The board is there: nobody asks for it again.
}
