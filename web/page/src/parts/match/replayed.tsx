/** A match that is over, shown again: step by step, through any seat's eyes, with its times and its checks. */
import { lazy } from "preact-iso";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { matches } from "~/api/matches";
import { session } from "~/api/session";
import type { Match, Position } from "~/gen/fudaba/v1/matches_pb";
import type { MatchRecord } from "~/gen/fudaba/v1/record_pb";
import { t } from "~/i18n";
import { gameName } from "~/parts/games";
import { Failed, Loading, Shown, useLoad } from "~/parts/load";
import { SeatClock } from "~/boards/seats";
import { clockText } from "~/parts/clock";
import { type Board, BoardView, Lead, useBoard } from "~/parts/match/board";
import { Checks } from "~/parts/match/checks";
import { Controls, EyesChoice } from "~/parts/match/controls";
import { About, type SeatNote, Seats } from "~/parts/match/heading";
import { LastDeal } from "~/parts/match/last_deal";
import { type Line, Log } from "~/parts/match/log";
import { keep, readNotes, useEyes, usePlayBack } from "~/parts/match/play_back";
import { ReferenceCard } from "~/parts/match/reference_card";
import { decisionsOf, eventsUpTo } from "~/parts/match/replay";
import { ending, narrated, seatLabels } from "~/parts/match/seats";
import { Share } from "~/parts/match/share";
import { TableShell } from "~/parts/match/shell";
import { Times } from "~/parts/match/times";

/** Loaded by who may have a seat only. */
const Own = lazy(() => import("~/parts/match/own"));
/** Loaded when somebody plays on from a position. */
const TryMoves = lazy(() => import("~/parts/match/try_moves"));

interface ReplayedProps {
  readonly match: Match;
  /** Whether it is a part of somebody's page, which has its board alone. */
  readonly embedded?: boolean;
  /** Whether it plays by itself from its beginning. */
  readonly premiere?: boolean;
}

/** Reads the record, and shows the match when it is there. */
export function Replayed({ match, embedded = false, premiere = false }: ReplayedProps) {
  const matchId = match.header?.matchId ?? "";
  const read = useCallback((signal: AbortSignal) => matches.getRecord({ matchId }, { signal }), [matchId]);
  return (
    <Shown loaded={useLoad(read)}>
      {({ record }) => record && <WithRecord match={match} record={record} embedded={embedded} premiere={premiere} />}
    </Shown>
  );
}

const NONE: readonly Position[] = [];

function seatFrom(search: URLSearchParams, seats: number): number | null {
  const asked = search.get("seat");
  return asked !== null && /^\d$/.test(asked) && Number(asked) < seats ? Number(asked) : null;
}

function WithRecord({ match, record, embedded, premiere }: Required<ReplayedProps> & { record: MatchRecord }) {
  const header = record.header ?? match.header;
  const [begin] = useState(() => new URLSearchParams(location.search));
  const [seat, setSeat] = useState(() => seatFrom(begin, header?.players.length ?? 0));
  const { eyes, error, again } = useEyes(header?.matchId ?? "", seat);
  const positions = eyes?.positions ?? NONE;
  const replay = usePlayBack(record, begin.get("at") ?? undefined, positions.length, premiere);
  const board = useBoard(header?.game ?? "");
  const seats = useMemo(() => seatLabels(header), [header]);
  const narration = useNarration(board.state === "there" ? board.value : undefined, positions, seats);
  const position = positions[replay.at];
  const { events, fresh } = useMemo(() => eventsUpTo(positions, replay.at), [positions, replay.at]);
  const over = replay.stop === replay.stops.length - 1; // before that nobody knew how it would end
  const [tries, setTries, tryRef] = useTries();
  if (header === undefined) return null;
  if (tries) {
    return (
      <TryMoves
        match={match}
        entries={replay.at}
        seats={seats}
        leave={() => {
          setTries(false);
        }}
      />
    );
  }
  const choose = (chosen: number | null) => {
    setSeat(chosen);
    keep("seat", chosen === null ? undefined : String(chosen));
  };
  const known = board.state === "there" ? board.value : undefined;
  const lines = linesUpTo(narration, replay.at);
  return (
    <TableShell
      game={header.game}
      news={lines.at(-1)?.text}
      above={error !== undefined && <Failed error={error} again={again} />}
      board={
        <SeatClock.Provider value={(seatIndex) => <Bank ms={position?.bankMs[seatIndex]} />}>
          <BoardView
            board={board}
            view={position?.view}
            fresh={fresh}
            eventsSoFar={events}
            seats={seats}
            seat={eyes?.seat ?? null}
          />
          {position?.view === undefined && (
            <div class="match-empty">
              {position !== undefined && <p class="quiet">{t("match.nothingShown")}</p>}
              {position === undefined && error === undefined && known !== undefined && (
                <Loading why="match.largeRecord" />
              )}
            </div>
          )}
        </SeatClock.Provider>
      }
      bar={
        <>
          <Lead board={board} view={position?.view} seats={seats} over={over ? ending(match, seats) : ""} />
          <div class="match-steering">
            <Controls replay={replay} />
            <EyesChoice seats={seats} seat={seat} choose={choose} />
            {!embedded && (
              <button
                type="button"
                class="match-try"
                ref={tryRef}
                disabled={over || position?.view === undefined}
                onClick={() => {
                  replay.setPlaying(false);
                  setTries(true);
                }}
              >
                {t("match.tryHere")}
              </button>
            )}
          </div>
        </>
      }
      drawer={
        <>
          <About header={header} />
          <Seats
            seats={seats}
            bots={header.players.map(({ bot }) => bot)}
            match={over ? match : undefined}
            notes={notesOf(position)}
          />
          <LastDeal board={known} events={events} seats={seats} />
          <Log lines={lines} go={replay.go} />
          <ReferenceCard game={header.game} />
          {!embedded && (
            <Beneath
              match={match}
              record={record}
              positions={positions}
              at={replay.at}
              go={replay.go}
              seats={seats}
              narration={narration}
              title={`${gameName(header.game)} · ${t("match.positionOf", { position: replay.stop, last: replay.stops.length - 1 })} · ${location.host}`}
            />
          )}
        </>
      }
    />
  );
}

/** Whether somebody plays on from here; with the button by which that begins, which has the focus when it is over. */
function useTries() {
  const [tries, setTries] = useState(false);
  const buttonRef = useRef<HTMLButtonElement>(null);
  const triedRef = useRef(false);
  useEffect(() => {
    if (triedRef.current && !tries) buttonRef.current?.focus();
    triedRef.current = tries;
  }, [tries]);
  return [tries, setTries, buttonRef] as const;
}

/** What a seat has left in its bank. */
function Bank({ ms }: { ms: number | undefined }) {
  return ms === undefined ? null : <span class="match-bank">{clockText(ms)}</span>;
}

/** What the page has beside the board: times, notes, files, checks. */
function Beneath(props: {
  match: Match;
  record: MatchRecord;
  positions: readonly Position[];
  at: number;
  go: (at: number) => void;
  seats: ReturnType<typeof seatLabels>;
  narration: readonly string[][];
  /** The game and the position, in words. */
  title: string;
}) {
  const { record, narration, positions } = props;
  const decisions = useMemo(() => decisionsOf(record), [record]);
  const matchId = record.header?.matchId ?? "";
  const notes = useLoad(useCallback((signal: AbortSignal) => readNotes(matchId, signal), [matchId]));
  const mine = notes.state === "there" ? notes.value : new Map<string, string>();
  const here = decisions.find((decision) => decision.at === props.at);
  const note = here === undefined ? undefined : mine.get(here.id);
  return (
    <>
      {note !== undefined && (
        <aside class="match-note">
          <h2>{t("match.note")}</h2>
          <p>{note}</p>
        </aside>
      )}
      {session.value && <Own match={props.match} />}
      <Share record={record} title={props.title} />
      <Times
        decisions={decisions}
        positions={positions}
        seats={props.seats}
        at={props.at}
        narrationAt={(at) => narration[at]?.join(" ") ?? ""}
        notes={mine}
        go={props.go}
      />
      <Checks record={record} />
    </>
  );
}

/** What each position tells, in words. */
function useNarration(board: Board | undefined, positions: readonly Position[], seats: ReturnType<typeof seatLabels>) {
  return useMemo(() => {
    return positions.map(({ events }) => (board === undefined ? [] : narrated(board, events, seats)));
  }, [board, positions, seats]);
}

function linesUpTo(narration: readonly string[][], at: number): Line[] {
  return narration.slice(0, at + 1).flatMap((lines, place) => lines.map((text) => ({ text, at: place })));
}

function notesOf(position: Position | undefined): SeatNote[] {
  return (position?.bankMs ?? []).map((bankMs, seat) => ({
    bankMs,
    deciding: position?.decidingSeats.includes(seat) ?? false,
  }));
}
