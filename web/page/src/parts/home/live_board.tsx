/** One board that moves: a match in play, or else the last one, shown again slowly. It only shows. */
import type { ComponentChildren } from "preact";
import { lazy } from "preact-iso";
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { loadTexts, t } from "~/i18n";
import { chooseMatch, nextWithEvents } from "~/parts/home/choose_match";
import { gameName } from "~/parts/games";
import { Loading, Nothing, useLoad } from "~/parts/load";
import { BoardView, Lead, useBoard } from "~/parts/match/board";
import { useLive } from "~/parts/match/live";
import { useEyes } from "~/parts/match/play_back";
import { seatLabels } from "~/parts/match/seats";
import { Tag } from "~/parts/tag";
import "~/parts/match/match.css";
import "~/parts/home/home.css";

const HouseTable = lazy(async () => {
  return (await Promise.all([import("~/parts/home/house_table"), loadTexts("begin")]))[0];
});

const STEP_MS = 1_600;
/** How long the end stays before another match is looked for. */
const REST_MS = 6_000;

export default function LiveBoard() {
  const chosen = useLoad(chooseMatch);
  if (chosen.state === "loading") return <Loading />;
  const match = chosen.state === "there" ? chosen.value : undefined;
  if (chosen.state === "failed") return <Nothing>{t("site.noMatch")}</Nothing>;
  if (match === undefined) return <HouseTable again={chosen.again} />;
  const key = match.header?.matchId ?? "";
  return match.state === MatchState.PLAYING ? (
    <Live key={key} match={match} next={chosen.again} />
  ) : (
    <Again key={key} match={match} next={chosen.again} />
  );
}

interface Shown {
  readonly match: Match;
  /** Looks for another match. */
  readonly next: () => void;
}

function Live({ match, next }: Shown) {
  const { header } = match;
  const live = useLive(header?.matchId ?? "");
  const board = useBoard(header?.game ?? "");
  const seats = useMemo(() => seatLabels(header), [header]);
  const over = live.match?.end !== undefined || live.error !== undefined;
  useEffect(() => {
    if (!over) return undefined;
    const timer = setTimeout(next, REST_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [over, next]);
  return (
    <Frame match={match} mark={over ? <Tag>{t("site.over")}</Tag> : <Tag tone="live">{t("ladder.live")}</Tag>}>
      <Lead board={board} view={live.view} seats={seats} />
      <BoardView board={board} view={live.view} fresh={live.fresh} seats={seats} seat={null} />
    </Frame>
  );
}

function Again({ match, next }: Shown) {
  const { header } = match;
  const { eyes, error } = useEyes(header?.matchId ?? "", null);
  const board = useBoard(header?.game ?? "");
  const seats = useMemo(() => seatLabels(header), [header]);
  const [at, setAt] = useState(0);
  const [moving, setMoving] = useState(() => !matchMedia("(prefers-reduced-motion: reduce)").matches);
  const positions = eyes?.positions;
  useEffect(() => {
    if (positions === undefined || !moving) return undefined;
    const then = nextWithEvents(positions, at);
    const timer = setTimeout(
      () => {
        if (then >= 0) setAt(then);
        else {
          setAt(0);
          next();
        }
      },
      then >= 0 ? STEP_MS : REST_MS,
    );
    return () => {
      clearTimeout(timer);
    };
  }, [positions, at, moving, next]);
  const position = positions?.[at];
  return (
    <Frame
      match={match}
      mark={<Tag>{t("site.replay")}</Tag>}
      control={
        <button
          type="button"
          class="small"
          onClick={() => {
            setMoving(!moving);
          }}
        >
          {t(moving ? "site.stop" : "site.go")}
        </button>
      }
    >
      {error !== undefined && <Nothing>{t("site.noMatch")}</Nothing>}
      <Lead board={board} view={position?.view} seats={seats} />
      <BoardView board={board} view={position?.view} fresh={position?.events ?? []} seats={seats} seat={null} />
    </Frame>
  );
}

/** The board with what it is above, and the way to the match. */
function Frame(props: {
  match: Match;
  mark: ComponentChildren;
  control?: ComponentChildren;
  children: ComponentChildren;
}) {
  const header = props.match.header;
  const game = header?.game ?? "";
  return (
    <section class="sheet live-board" aria-label={t("site.boardOf", { game: gameName(game) })}>
      <p class="row apart">
        <span class="row">
          {props.mark}
          <strong>{gameName(game)}</strong>
          <span class="quiet small">{header?.players.map((player) => player.bot || "?").join(" – ")}</span>
        </span>
      </p>
      <div class="stage">{props.children}</div>
      <p class="row apart small">
        <span class="row">
          <a href={`/matches/${header?.matchId ?? ""}`}>{t("site.toMatch")}</a>
          <a href={`/games/${game}`}>{t("site.toRules", { game: gameName(game) })}</a>
        </span>
        {props.control}
      </p>
    </section>
  );
}
