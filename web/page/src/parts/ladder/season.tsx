/** What is told of a tournament or a season: its table, how that came about, who met whom, its matches. */
import { useLocation } from "preact-iso";
import { useCallback, useEffect, useMemo } from "preact/hooks";
import { arena, matches } from "~/api";
import type { Entry, Tournament } from "~/gen/fudaba/v1/arena_pb";
import { type MessageKey, t } from "~/i18n";
import { Choose, withQuery } from "~/parts/ladder/choose";
import { Swiss } from "~/parts/ladder/swiss";
import { OVERALL, gameName } from "~/parts/ladder/games";
import { RatingHistory } from "~/parts/ladder/history";
import { MatchList } from "~/parts/ladder/matches";
import { Matrix } from "~/parts/ladder/matrix";
import { historyStep, ladderRows } from "~/parts/ladder/rows";
import { Schedule } from "~/parts/ladder/schedule";
import { Standings } from "~/parts/ladder/standings";
import { Shown, useLoad } from "~/parts/load";
import { Tabs } from "~/parts/tabs";

const TABS: readonly (readonly [string, MessageKey])[] = [
  ["standings", "ladder.standings"],
  ["history", "ladder.history"],
  ["opponents", "ladder.headToHead"],
  ["matches", "ladder.matchesTab"],
  ["schedule", "ladder.schedule"],
];
/** How often a table is asked for again while blocks are closed. */
const REFRESH_MS = 5_000;
const LAST_MATCHES = 20;
/** How many points of the past a trend is made from: few where many bots make each of them large. */
const trendPoints = (bots: number) => (bots > 200 ? 3 : 8);

export interface SeasonProps {
  readonly tournament: Tournament;
  /** Who is entered now; undefined while that is not known, and for what is no ladder's newest season. */
  readonly entries: readonly Entry[] | undefined;
}

export function Season({ tournament, entries }: SeasonProps) {
  const { query, url, route } = useLocation();
  const games = tournament.definition?.games.map((one) => one.game) ?? [];
  const choices = games.length > 1 ? [OVERALL, ...games] : games;
  const game = choices.find((one) => one === query.game) ?? choices[0] ?? OVERALL;
  const tab = TABS.find(([name]) => name === query.show)?.[0] ?? "standings";
  return (
    <>
      {choices.length > 1 && (
        <Choose
          label={t("ladder.game")}
          query="game"
          choices={choices.map((one) => [one, gameName(one)] as const)}
          chosen={game}
        />
      )}
      <Tabs
        label={t("ladder.views")}
        tabs={TABS.map(([name, key]) => [name, t(key)] as const)}
        chosen={tab}
        choose={(name) => {
          route(withQuery(url, "show", name === "standings" ? "" : name), true);
        }}
      >
        {tab === "matches" ? (
          <LastMatches label={tournament.name} game={game === OVERALL ? "" : game} />
        ) : tab === "schedule" ? (
          <Schedule tournament={tournament} />
        ) : tab === "history" ? (
          <RatingHistory tournament={tournament.name} game={game} blocks={tournament.progress?.blocksCounted ?? 0} />
        ) : (
          <Rated tournament={tournament} entries={entries} game={game} tab={tab} />
        )}
      </Tabs>
    </>
  );
}

function Rated(props: SeasonProps & { game: string; tab: string }) {
  const { tournament, entries, game, tab } = props;
  const { name } = tournament;
  const blocks = tournament.progress?.blocksCounted ?? 0;
  const read = useLoad(
    useCallback((signal: AbortSignal) => arena.getStandings({ tournament: name, game }, { signal }), [name, game]),
  );
  const bots = tournament.definition?.entrants.length ?? 0;
  const everyBlocks = historyStep(Math.max(1, blocks), trendPoints(bots));
  const history = useLoad(
    useCallback(
      (signal: AbortSignal) => arena.getRatingHistory({ tournament: name, game, everyBlocks }, { signal }),
      [name, game, everyBlocks],
    ),
  );
  const there = read.state === "there" ? read : undefined;
  const stale = there !== undefined && there.value.tournament?.progress?.blocksCounted !== blocks;
  const again = there?.again;
  useEffect(() => {
    if (!stale || again === undefined) return undefined;
    const timer = setTimeout(again, REFRESH_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [stale, again]);
  const points = history.state === "there" ? history.value.points : undefined;
  const standings = there?.value.standings[0];
  const rows = useMemo(
    () =>
      ladderRows({
        standings: standings?.rows ?? [],
        overall: game === OVERALL,
        tournament: there?.value.tournament,
        entries,
        history: points,
      }),
    [standings, game, there?.value.tournament, entries, points],
  );
  return (
    <Shown of={read}>
      {({ swiss }) =>
        tab === "opponents" ? (
          <Matrix tournament={name} game={game} rows={rows} />
        ) : (
          <>
            {swiss.map((one) => (
              <Swiss key={one.game} of={one} />
            ))}
            {swiss.length > 0 && <h2>{t("ladder.ratings")}</h2>}
            <Standings caption={t("ladder.standingsIn", { game: gameName(game) })} rows={rows} withTrend={blocks > 1} />
          </>
        )
      }
    </Shown>
  );
}

function LastMatches({ label, game }: { label: string; game: string }) {
  const read = useLoad(
    useCallback(
      (signal: AbortSignal) => matches.listMatches({ label, game, pageSize: LAST_MATCHES }, { signal }),
      [label, game],
    ),
  );
  return (
    <Shown of={read}>
      {({ matches: last }) => (
        <>
          <MatchList matches={last} caption={t("ladder.lastMatches")} />
          <p>
            <a href={`/matches?label=${encodeURIComponent(label)}`}>{t("ladder.allMatches")}</a>
          </p>
        </>
      )}
    </Shown>
  );
}
