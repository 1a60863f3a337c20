/** What is told of a tournament or a season: its table, how that came about, who met whom, its matches. */
import { useLocation } from "preact-iso";
import { useCallback } from "preact/hooks";
import { matches } from "~/api/matches";
import type { Tournament } from "~/gen/fudaba/v1/arena_pb";
import { type MessageKey, t } from "~/i18n";
import { Choose, unknownChoice, withQuery } from "~/parts/ladder/choose";
import { OVERALL, gameName } from "~/parts/games";
import { Frozen } from "~/parts/ladder/frozen";
import { RatingHistory } from "~/parts/ladder/history";
import { MatchList } from "~/parts/ladder/matches";
import { Rated } from "~/parts/ladder/rated";
import { Schedule } from "~/parts/ladder/schedule";
import { Shown, useLoad } from "~/parts/load";
import { Tabs } from "~/parts/tabs";

const TABS: readonly (readonly [string, MessageKey])[] = [
  ["standings", "ladder.standings"],
  ["history", "ladder.history"],
  ["opponents", "ladder.headToHead"],
  ["matches", "ladder.matchesTab"],
  ["schedule", "ladder.schedule"],
];
const MAX_LAST_MATCHES = 20;

export interface SeasonProps {
  readonly tournament: Tournament;
  /** The ladder whose newest season it is. */
  readonly ladder?: string;
}

export function Season({ tournament, ladder }: SeasonProps) {
  const { query, url, route } = useLocation();
  const games = tournament.definition?.games.map((played) => played.game) ?? [];
  const choices = games.length > 1 ? [OVERALL, ...games] : games;
  const game = choices.find((choice) => choice === query.game) ?? choices[0] ?? OVERALL;
  const unknown = unknownChoice(query, { game: choices, show: TABS.map(([name]) => name) });
  const tab = TABS.find(([name]) => name === query.show)?.[0] ?? "standings";
  return (
    <>
      <Frozen tournament={tournament} />
      {choices.length > 1 && (
        <Choose
          label={t("ladder.game")}
          query="game"
          choices={choices.map((choice) => [choice, gameName(choice)] as const)}
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
        {unknown !== undefined ? (
          <p class="notice bad" role="alert">
            {t("ladder.unknown", { text: unknown })}
          </p>
        ) : tab === "matches" ? (
          <LastMatches label={tournament.name} game={game === OVERALL ? "" : game} />
        ) : tab === "schedule" ? (
          <Schedule tournament={tournament} />
        ) : tab === "history" ? (
          <RatingHistory tournament={tournament.name} game={game} blocks={tournament.progress?.blocksCounted ?? 0} />
        ) : (
          <Rated tournament={tournament} ladder={ladder} game={game} tab={tab} />
        )}
      </Tabs>
    </>
  );
}

function LastMatches({ label, game }: { label: string; game: string }) {
  const read = useLoad(
    useCallback(
      (signal: AbortSignal) => matches.listMatches({ label, game, pageSize: MAX_LAST_MATCHES }, { signal }),
      [label, game],
    ),
  );
  return (
    <Shown loaded={read}>
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
