/** The bots of a tournament or a season as they stand: their table, or who did how well against whom. */
import { useCallback, useEffect, useMemo } from "preact/hooks";
import { allEntries, arena } from "~/api/arena";
import type { GetStandingsResponse, Tournament } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import type { KnockoutProps } from "~/parts/bracket/knockout";
import { OVERALL, gameName } from "~/parts/games";
import { Matrix } from "~/parts/ladder/matrix";
import { RatedOn } from "~/parts/ladder/rated_on";
import { type LadderRow, historyStep, ladderRows } from "~/parts/ladder/rows";
import { Standings } from "~/parts/ladder/standings";
import { Swiss } from "~/parts/ladder/swiss";
import { type Loaded, Shown, useLoad } from "~/parts/load";

/** How often a table is asked for again while blocks are closed. */
const REFRESH_MS = 5_000;
/** How many points of the past a trend is made from: few where many bots make each of them large. */
const trendPoints = (bots: number) => (bots > 200 ? 3 : 8);

export interface RatedProps {
  readonly tournament: Tournament;
  /** The ladder whose newest season it is. */
  readonly ladder: string | undefined;
  readonly game: string;
  readonly tab: string;
}

export function Rated({ tournament, ladder, game, tab }: RatedProps) {
  const { name } = tournament;
  const blocks = tournament.progress?.blocksCounted ?? 0;
  const read = useLoad(
    useCallback((signal: AbortSignal) => arena.getStandings({ tournament: name, game }, { signal }), [name, game]),
  );
  useRefresh(read, tournament);
  const rows = useRows(read, tournament, ladder, game);
  return (
    <Shown loaded={read}>
      {({ swiss, bracket, standings }) =>
        tab === "opponents" ? (
          <Matrix tournament={name} game={game} rows={rows} />
        ) : (
          <>
            {swiss.map((table) => (
              <Swiss key={table.game} standings={table} />
            ))}
            {bracket !== undefined && <LoadedKnockout tournament={tournament} bracket={bracket} />}
            {(swiss.length > 0 || bracket !== undefined) && <h2>{t("ladder.ratings")}</h2>}
            <Standings caption={t("ladder.standingsIn", { game: gameName(game) })} rows={rows} withTrend={blocks > 1} />
            <RatedOn standings={standings[0]} />
          </>
        )
      }
    </Shown>
  );
}

/** The bracket, whose code only the page of a knockout loads. */
function LoadedKnockout(props: KnockoutProps) {
  const loaded = useLoad(useCallback(async () => (await import("~/parts/bracket/knockout")).load(), []));
  return (
    <Shown loaded={loaded} isPart>
      {({ Knockout }) => <Knockout {...props} />}
    </Shown>
  );
}

/** What of a tournament changes its table, or decides a group of a bracket without a block that counts. */
function stepOf({ state, progress, withdrawals }: Tournament): string {
  const { blocksCounted = 0, blocksParked = 0 } = progress ?? {};
  return [state, blocksCounted, blocksParked, withdrawals.length].join(" ");
}

/** Asks for the table again when the tournament has gone on since, but not all the time. */
function useRefresh(read: Loaded<GetStandingsResponse>, tournament: Tournament): void {
  const there = read.state === "there" ? read : undefined;
  const shown = there?.value.tournament;
  const stale = shown !== undefined && stepOf(shown) !== stepOf(tournament);
  const again = there?.again;
  useEffect(() => {
    if (!stale || again === undefined) return undefined;
    const timer = setTimeout(again, REFRESH_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [stale, again]);
}

/** The rows of the table: at first the standings alone, then with what is asked for once these are shown. */
function useRows(
  read: Loaded<GetStandingsResponse>,
  tournament: Tournament,
  ladder: string | undefined,
  game: string,
): readonly LadderRow[] {
  const { name } = tournament;
  const bots = tournament.definition?.entrants.length ?? 0;
  const everyBlocks = historyStep(Math.max(1, tournament.progress?.blocksCounted ?? 0), trendPoints(bots));
  const readHistory = useCallback(
    (signal: AbortSignal) => arena.getRatingHistory({ tournament: name, game, everyBlocks }, { signal }),
    [name, game, everyBlocks],
  );
  const readEntries = useCallback(
    async (signal: AbortSignal) => (ladder === undefined ? undefined : await allEntries(ladder, signal)),
    [ladder],
  );
  const shown = read.state === "there";
  const entries = useLoad(readEntries, shown);
  const history = useLoad(readHistory, shown && entries.state !== "loading");
  const standings = shown ? read.value : undefined;
  const entered = entries.state === "there" ? entries.value : undefined;
  const points = history.state === "there" ? history.value.points : undefined;
  return useMemo(
    () =>
      ladderRows({
        standings: standings?.standings[0]?.rows ?? [],
        overall: game === OVERALL,
        tournament: standings?.tournament,
        entries: entered,
        history: points,
      }),
    [standings, game, entered, points],
  );
}
