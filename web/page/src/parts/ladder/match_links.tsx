/** Matches of a tournament as links that say who has scored what. */
import type { TournamentMatch } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import { nameOf } from "~/parts/ladder/names";
import "~/parts/ladder/match_links.css";

export function MatchLinks({ matches }: { matches: readonly TournamentMatch[] }) {
  return (
    <ul class="match-links">
      {matches.map((match) => (
        <li key={match.matchId}>
          <a href={`/matches/${match.matchId}`}>
            {match.namesHidden
              ? t("ladder.namesHidden")
              : match.bots.map((bot, seat) => [nameOf(bot), match.scores[seat] ?? ""].join(" ")).join(" – ")}
          </a>
          {match.deal !== undefined && <span class="quiet small"> {t("ladder.deal", { deal: match.deal + 1 })}</span>}
        </li>
      ))}
    </ul>
  );
}
