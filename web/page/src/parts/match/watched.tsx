/** A match in play, as a spectator sees it. */
import { useMemo } from "preact/hooks";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { t } from "~/i18n";
import { Failed } from "~/parts/load";
import { BoardView, Lead, useBoard } from "~/parts/match/board";
import { Heading, Seats } from "~/parts/match/heading";
import { LastDeal } from "~/parts/match/last_deal";
import { useLive } from "~/parts/match/live";
import { Announce, Log, useLines } from "~/parts/match/log";
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
  return (
    <article class="match">
      <Heading header={header} match={match} />
      <Seats seats={seats} bots={header.players.map(({ bot }) => bot)} match={match} />
      {match.end === undefined && <ToSeat match={match} />}
      {live.error !== undefined && <Failed error={live.error} />}
      {live.error === undefined && live.following !== "open" && match.end === undefined && (
        <p class="quiet">{t("match.connecting")}</p>
      )}
      {waiting(match) !== "" && <p>{waiting(match)}</p>}
      {match.end !== undefined && (
        <p class="match-ending">
          {end}{" "}
          <button type="button" onClick={replay}>
            {t("match.replay")}
          </button>
        </p>
      )}
      <div class="match-stage">
        <div class="match-main">
          {match.end === undefined && <Lead board={loaded} view={live.view} seats={seats} />}
          <BoardView board={loaded} view={live.view} fresh={live.fresh} told={live.events} seats={seats} seat={null} />
          <LastDeal board={board} events={live.events} seats={seats} />
        </div>
        <Log lines={lines} />
      </div>
      <Announce text={`${news} ${end}`.trim()} />
    </article>
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
