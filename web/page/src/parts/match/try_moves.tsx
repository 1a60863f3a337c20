/** Playing on from a position of a match that is over: for all seats with open hands, or in one seat against house bots. */
import { create } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { inWords } from "~/api/errors";
import { matches } from "~/api/matches";
import type { SeatLabel } from "~/boards";
import type { Choice } from "~/boards/choices";
import { Chooser } from "~/boards/chooser";
import type { Event, Move } from "~/gen/fudaba/v1/game_pb";
import {
  type Match,
  type TriedMove,
  TriedMoveSchema,
  type TryMovesRequest,
  type TryMovesResponse,
} from "~/gen/fudaba/v1/matches_pb";
import { t } from "~/i18n";
import { gameName } from "~/parts/games";
import { Failed, Loading } from "~/parts/load";
import { BoardView, Lead, useBoard } from "~/parts/match/board";
import { useFocusKept } from "~/parts/match/focus_kept";
import { Announce, Log, useLines } from "~/parts/match/log";
import { ReferenceCard } from "~/parts/match/reference_card";
import { ending } from "~/parts/match/seats";
import { Drawer, DrawerButton, useDrawn } from "~/parts/play/drawer";
import { Tag } from "~/parts/tag";
import "~/parts/match/match.css";
import "~/parts/match/shell.css";
import "~/parts/play/at_table.css";

const NO_MOVES: readonly Move[] = [];
const NO_EVENTS: readonly Event[] = [];

interface Tried {
  readonly answer: TryMovesResponse | undefined;
  readonly busy: boolean;
  /** Why a position cannot be played on from at all. */
  readonly error: unknown;
  /** Why the last move was refused, in words. */
  readonly refusal: string;
  /** Makes these moves since the position; tells whether they were accepted. */
  readonly ask: (moves: readonly TriedMove[], seat: number | null) => Promise<boolean>;
}

/** What moves from a position lead to. */
function useTried(matchId: string, entries: number): Tried {
  const [state, setState] = useState<Omit<Tried, "ask">>({
    answer: undefined,
    busy: true,
    error: undefined,
    refusal: "",
  });
  const newestRef = useRef(0);
  const ask = async (moves: readonly TriedMove[], seat: number | null) => {
    newestRef.current += 1;
    const turn = newestRef.current;
    setState((last) => ({ ...last, busy: true, error: undefined, refusal: "" }));
    const request = { matchId, entries, moves: [...moves], ...(seat === null ? {} : { seat }) } as TryMovesRequest;
    try {
      const answer = await matches.tryMoves(request);
      if (turn === newestRef.current) setState({ answer, busy: false, error: undefined, refusal: "" });
      return true;
    } catch (error) {
      if (turn === newestRef.current) {
        setState((last) =>
          last.answer === undefined
            ? { ...last, busy: false, error }
            : { ...last, busy: false, refusal: inWords(error) },
        );
      }
      return false;
    }
  };
  return { ...state, ask };
}

/** The moves without the last one that its maker chose: without the answers of house bots, too. */
export function undone(moves: readonly TriedMove[], seat: number | null): readonly TriedMove[] {
  const last = seat === null ? moves.length - 1 : moves.findLastIndex((move) => move.seat === seat);
  return moves.slice(0, Math.max(0, last));
}

export default function TryMoves(props: {
  match: Match;
  /** The position: so many entries of the record's log. */
  entries: number;
  seats: readonly SeatLabel[];
  /** Goes back to the replay. */
  leave: () => void;
}) {
  const { match, entries, seats } = props;
  const game = match.header?.game ?? "";
  const tried = useTried(match.header?.matchId ?? "", entries);
  const { answer, ask, busy } = tried;
  const [mine, setMine] = useState<number | null>(null);
  const [looks, setLooks] = useState<number>();
  const placeRef = useFocusKept();
  useEffect(() => {
    placeRef.current?.focus({ preventScroll: true });
    void ask([], null);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the position is asked for once
  }, []);
  const loaded = useBoard(game);
  const board = loaded.state === "there" ? loaded.value : undefined;
  const [drawn, setDrawn] = useDrawn();
  const asked = answer?.seats.findIndex(({ decision }) => decision !== undefined) ?? -1;
  const eyes = mine ?? looks ?? Math.max(0, asked);
  const shown = answer?.seats[eyes];
  const events = shown?.events ?? NO_EVENTS;
  const lines = useLines(board, events, seats);
  const fresh = useFresh(answer, eyes);
  const end = useMemo(() => {
    const outcome = answer?.outcome;
    if (outcome === undefined || match.end === undefined) return "";
    return ending({ ...match, end: { ...match.end, outcome, forfeitedSeat: undefined } }, seats);
  }, [answer, match, seats]);
  const moves = answer?.moves ?? [];
  const decision = answer?.outcome === undefined ? shown?.decision : undefined;
  const make = (choice: TriedMove["choice"]) => ask([...moves, create(TriedMoveSchema, { seat: eyes, choice })], mine);
  /** Of a button that keeps the focus meanwhile: it may be pressed again at once. */
  const again = (act: () => Promise<unknown>) => () => {
    if (!busy) void act();
  };
  const play = ({ index, move }: Choice) => {
    void make(index === undefined ? { case: "move", value: move } : { case: "index", value: index });
    setLooks(undefined);
  };
  const drawer = (list: ComponentChildren) => (
    <Drawer
      open={drawn}
      close={() => {
        setDrawn(false);
      }}
    >
      {list}
      <Lead board={loaded} view={shown?.view} seats={seats} />
      <Log lines={lines} />
      <ReferenceCard game={game} />
    </Drawer>
  );
  return (
    <article
      class="match at-table"
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.isComposing) setDrawn(false);
      }}
    >
      <header class="table-head">
        <h1>{gameName(game)}</h1>
        <Tag>{t("match.trying")}</Tag>
        <p class="table-news" aria-hidden="true">
          {lines.at(-1)?.text}
        </p>
        <DrawerButton open={drawn} turn={setDrawn} />
      </header>
      <div class="match-trying" role="group" aria-label={t("match.trying")}>
        <Choose
          label={t("match.tryMine")}
          all={t("match.tryAll")}
          seats={seats}
          seat={mine}
          choose={(seat) => {
            setMine(seat);
            setLooks(undefined);
            void ask(moves, seat);
          }}
        />
        {mine === null && (
          <Choose
            label={t("match.eyes")}
            all={t("match.tryFollow")}
            seats={seats}
            seat={looks ?? null}
            choose={(seat) => {
              setLooks(seat ?? undefined);
            }}
          />
        )}
        {decision?.required !== true && answer !== undefined && answer.outcome === undefined && (
          <button type="button" class="small" onClick={again(() => make({ case: undefined }))}>
            {t("match.tryWait")}
          </button>
        )}
        <button
          type="button"
          class="small"
          disabled={moves.length === 0}
          onClick={again(() => ask(undone(moves, mine), mine))}
        >
          {t("match.tryUndo")}
        </button>
        <button type="button" class="small" onClick={props.leave}>
          {t("match.tryLeave")}
        </button>
      </div>
      {tried.error !== undefined && <Failed error={tried.error} again={() => void ask([], null)} />}
      <div class="match-main" ref={placeRef} tabIndex={-1}>
        {shown?.view === undefined ? (
          tried.error === undefined && <Loading />
        ) : (
          <Chooser
            board={board}
            view={shown.view}
            decisionId={decision === undefined ? undefined : `${moves.length}.${eyes}`}
            moves={decision?.legalMoves ?? NO_MOVES}
            count={decision?.legalCount ?? 0}
            busy={busy}
            atOnce={false}
            canTakeBack={false}
            deadline={Number.POSITIVE_INFINITY}
            viewer={{ seat: eyes, seats }}
            play={play}
            say={(text) => make({ case: "text", value: text })}
            status={
              decision === undefined ? t("play.othersTurn") : t("match.tryTurn", { name: seats[eyes]?.name ?? "" })
            }
            refusal={tried.refusal}
            instead={end === "" ? undefined : <p class="match-ending">{end}</p>}
            drawer={drawer}
          >
            <BoardView board={loaded} view={shown.view} fresh={fresh} eventsSoFar={events} seats={seats} seat={eyes} />
          </Chooser>
        )}
      </div>
      <Announce text={end === "" ? (lines.at(-1)?.text ?? "") : end} />
    </article>
  );
}

/** What a seat was told with the last answer, and had not been with the one before. */
function useFresh(answer: TryMovesResponse | undefined, seat: number): readonly Event[] {
  const [answers, setAnswers] = useState({ before: answer, last: answer });
  const known = answers.last === answer ? answers : { before: answers.last, last: answer };
  if (known !== answers) setAnswers(known);
  const before = known.before === answer ? 0 : (known.before?.seats[seat]?.events.length ?? 0);
  return useMemo(() => answer?.seats[seat]?.events.slice(before) ?? NO_EVENTS, [answer, seat, before]);
}

function Choose(props: {
  label: string;
  all: string;
  seats: readonly SeatLabel[];
  seat: number | null;
  choose: (seat: number | null) => void;
}) {
  return (
    <label>
      <span>{props.label} </span>
      <select
        class="small"
        aria-label={props.label}
        value={props.seat === null ? "" : String(props.seat)}
        onChange={(event) => {
          const { value } = event.currentTarget;
          props.choose(value === "" ? null : Number(value));
        }}
      >
        <option value="">{props.all}</option>
        {props.seats.map(({ name }, seat) => (
          <option key={seat} value={String(seat)}>
            {t("match.seatNamed", { number: seat + 1, name })}
          </option>
        ))}
      </select>
    </label>
  );
}
