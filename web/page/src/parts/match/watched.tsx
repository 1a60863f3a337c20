/** A match in play, as a spectator sees it. */
import { useMemo } from "preact/hooks";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { t } from "~/i18n";
import { Failed } from "~/parts/load";
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

export function Watched({ match: known, replay }: { match: Match; replay: () => void }) {
  const live = useLive(known.header?.matchId ?? "");
  const match = live.match ?? known;
  const header = match.header;
  const loaded = useBoard(header?.game ?? "");
  const board = loaded.state === "there" ? loaded.value : undefined;
  const seats = useMemo(() => seatLabels(header), [header]);
  const lines = useLines(board, live.events, seats);
  if (header === undefined) return null;
  const news = board === undefined ? "" : narrated(board, live.fresh, seats).join(" ");
  const end = ending(match, seats);
  const wait = waiting(match);
  return (
    <>
      <TableShell
        game={header.game}
        mark={<StateTag state={match.state} />}
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
                <button type="button" onClick={replay}>
                  {t("match.replay")}
                </button>
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

/** What a match waits for, while nothing of it can be seen. */
function waiting(match: Match): string {
  if (match.state === MatchState.OPEN) {
    const free = match.seats.filter((seat) => seat.to.case !== "bot").length;
    return t("match.waitsForSeats", { count: free });
  }
  return match.state === MatchState.WAITING ? t("match.waitsForBots") : "";
}
