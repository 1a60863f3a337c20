/** A match in play, as a spectator sees it. */
import { useCallback, useEffect, useMemo } from "preact/hooks";
import { matches } from "~/api/matches";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { t } from "~/i18n";
import { Failed, useLoad } from "~/parts/load";
import { BoardView, Lead, useBoard } from "~/parts/match/board";
import { About, Seats, StateTag } from "~/parts/match/heading";
import { LastDeal } from "~/parts/match/last_deal";
import { useLive } from "~/parts/match/live";
import { Announce, Log, useLines } from "~/parts/match/log";
import { ReferenceCard } from "~/parts/match/reference_card";
import { TableShell } from "~/parts/match/shell";
import { TakeSeat } from "~/parts/play/take_seat";
import { ToSeat } from "~/parts/play/ongoing";
import { ending, narrated, seatLabels } from "~/parts/match/seats";
import { Countdown, HiddenTag, shownFromMs } from "~/parts/match/shown_later";

/** How often it is asked whether a match that was hidden can be replayed. */
const ASK_MS = 10_000;

interface WatchedProps {
  readonly match: Match;
  /** Whether it is shown later than it is played, with its record hidden meanwhile. */
  readonly delayed: boolean;
  readonly replay: () => void;
}

export function Watched({ match: known, delayed, replay }: WatchedProps) {
  const live = useLive(known.header?.matchId ?? "");
  const match = live.match ?? known;
  const hasReplay = useHasReplay(known.header?.matchId ?? "", delayed, match.end !== undefined);
  const header = match.header;
  const loaded = useBoard(header?.game ?? "");
  const board = loaded.state === "there" ? loaded.value : undefined;
  const seats = useMemo(() => seatLabels(header), [header]);
  const lines = useLines(board, live.events, seats);
  if (header === undefined) return null;
  const news = board === undefined ? "" : narrated(board, live.fresh, seats).join(" ");
  const end = ending(match, seats);
  const fromMs = delayed && live.match?.startTime === undefined ? shownFromMs(known) : undefined;
  const wait = fromMs === undefined ? waiting(match) : <Countdown atMs={fromMs} text="shown.matchStartsIn" />;
  return (
    <>
      <TableShell
        game={header.game}
        mark={delayed && match.end === undefined ? <HiddenTag match={known} /> : <StateTag state={match.state} />}
        news={lines.at(-1)?.text}
        above={live.error !== undefined && <Failed error={live.error} again={live.again} />}
        board={
          <>
            <BoardView
              board={loaded}
              view={live.view}
              fresh={live.fresh}
              eventsSoFar={live.events}
              seats={seats}
              seat={null}
            />
            {live.view === undefined && (
              <div class="match-empty">
                <Seats
                  seats={seats.map(({ name }) => ({ name: name === "" ? t("play.seatFree") : name }))}
                  bots={header.players.flatMap(({ bot }) => (bot === "" ? [] : [bot]))}
                  match={match}
                />
              </div>
            )}
          </>
        }
        bar={
          <>
            {match.end === undefined && <Lead board={loaded} view={live.view} seats={seats} />}
            {live.error === undefined && live.following !== "open" && match.end === undefined && (
              <p class="quiet">{t("match.connecting")}</p>
            )}
            {wait !== "" && <p>{wait}</p>}
            {match.end === undefined && <ToSeat match={match} />}
            {match.seats.some(({ to }) => to.case === "open") && (
              <div class="row">
                <TakeSeat by={{ case: "matchId", value: header.matchId }} />
              </div>
            )}
            {match.end !== undefined && (
              <p class="match-ending">
                {end}{" "}
                {hasReplay ? (
                  <button type="button" onClick={replay}>
                    {t("match.replay")}
                  </button>
                ) : (
                  t("shown.replayLater")
                )}
              </p>
            )}
          </>
        }
        drawer={
          <>
            <About header={header} />
            {live.view !== undefined && (
              <Seats seats={seats} bots={header.players.map(({ bot }) => bot)} match={match} />
            )}
            <LastDeal board={board} events={live.events} seats={seats} />
            <Log lines={lines} />
            <ReferenceCard game={header.game} />
          </>
        }
      />
      <Announce text={`${news} ${end}`.trim()} />
    </>
  );
}

/** Whether there is a replay of a match that is over: where it was shown later, its record may be hidden still. */
function useHasReplay(matchId: string, delayed: boolean, over: boolean): boolean {
  const read = useCallback((signal: AbortSignal) => matches.getMatch({ matchId }, { signal }), [matchId]);
  const asked = useLoad(read, over && delayed);
  const has = !delayed || (asked.state === "there" && asked.value.match?.hidden === false);
  useEffect(() => {
    if (has || asked.state === "loading") return undefined;
    const timer = setTimeout(asked.again, ASK_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [has, asked]);
  return has;
}

/** What a match waits for, while nothing of it can be seen. */
function waiting(match: Match): string {
  if (match.state === MatchState.OPEN) {
    const free = match.seats.filter((seat) => seat.to.case !== "bot").length;
    return t("match.waitsForSeats", { count: free });
  }
  return match.state === MatchState.WAITING ? t("match.waitsForBots") : "";
}
