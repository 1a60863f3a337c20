/** A match on a screen that nobody steers: live, or from its beginning to its end, and then the next one. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Match } from "~/gen/fudaba/v1/matches_pb";
import { t } from "~/i18n";
import { gameName } from "~/parts/games";
import { nextWithEvents } from "~/parts/home/choose_match";
import { BoardView, Lead, useBoard } from "~/parts/match/board";
import { useLive } from "~/parts/match/live";
import { useEyes } from "~/parts/match/play_back";
import { ending, seatLabels } from "~/parts/match/seats";
import { Tag } from "~/parts/tag";
import "~/boards/chooser.css";
import "~/parts/play/at_table.css";
import "~/parts/match/shell.css";

const STEP_MS = 1_600;
/** How long the end stays before another match follows. */
const REST_MS = 8_000;

interface Showing {
  readonly match: Match;
  readonly next: () => void;
}

/** Goes on to the next match a while after this one is over. */
function useNext(over: boolean, next: () => void) {
  useEffect(() => {
    if (!over) return undefined;
    const timer = setTimeout(next, REST_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [over, next]);
}

export function ShownLive({ match, next }: Showing) {
  const { header } = match;
  const live = useLive(header?.matchId ?? "");
  const board = useBoard(header?.game ?? "");
  const seats = useMemo(() => seatLabels(header), [header]);
  const over = live.match?.end !== undefined || live.error !== undefined;
  useNext(over, next);
  return (
    <Screen match={match} mark={<Tag tone="live">{t(match.hidden ? "shown.now" : "match.statePlaying")}</Tag>}>
      <BoardView
        board={board}
        view={live.view}
        fresh={live.fresh}
        eventsSoFar={live.events}
        seats={seats}
        seat={null}
      />
      <Line>
        <Lead board={board} view={live.view} seats={seats} over={ending(live.match, seats)} />
      </Line>
    </Screen>
  );
}

export function ShownAgain({ match, next }: Showing) {
  const { header } = match;
  const { eyes, error } = useEyes(header?.matchId ?? "", null);
  const board = useBoard(header?.game ?? "");
  const seats = useMemo(() => seatLabels(header), [header]);
  const [at, setAt] = useState(0);
  const positions = eyes?.positions;
  const then = positions === undefined ? -1 : nextWithEvents(positions, at);
  const over = error !== undefined || (positions !== undefined && at > 0 && then < 0);
  useEffect(() => {
    if (then < 0) return undefined;
    // Before the first deal there is nothing to look at.
    const timer = setTimeout(
      () => {
        setAt(then);
      },
      at === 0 ? 0 : STEP_MS,
    );
    return () => {
      clearTimeout(timer);
    };
  }, [at, then]);
  useNext(over, next);
  const position = positions?.[at];
  const eventsSoFar = useMemo(() => positions?.slice(0, at + 1).flatMap(({ events }) => events), [positions, at]);
  return (
    <Screen match={match} mark={<Tag>{t("match.replay")}</Tag>}>
      <BoardView
        board={board}
        view={position?.view}
        fresh={position?.events ?? []}
        eventsSoFar={eventsSoFar}
        seats={seats}
        seat={null}
      />
      <Line>
        <Lead board={board} view={position?.view} seats={seats} over={over ? ending(match, seats) : ""} />
      </Line>
    </Screen>
  );
}

function Line({ children }: { children: ComponentChildren }) {
  return <div class="match-bar">{children}</div>;
}

/** The game and who plays, and beneath it the board with all the room that there is. */
function Screen(props: { match: Match; mark: ComponentChildren; children: ComponentChildren }) {
  const { header } = props.match;
  return (
    <article class="match at-table is-showing">
      <header class="table-head">
        <h1>
          <a class="plain" href={`/matches/${header?.matchId ?? ""}`}>
            {gameName(header?.game ?? "")}
          </a>
        </h1>
        {props.mark}
        <p class="table-news">{header?.players.map(({ bot }) => bot || "?").join(" – ")}</p>
        <FullScreen />
      </header>
      <div class="match-main">
        <div class="chooser-whole">{props.children}</div>
      </div>
    </article>
  );
}

/** Gives the board the whole screen, where the browser can. */
function FullScreen() {
  if (!document.fullscreenEnabled) return null;
  return (
    <button type="button" class="small full-screen" onClick={() => void document.documentElement.requestFullscreen()}>
      {t("match.fullScreen")}
    </button>
  );
}
