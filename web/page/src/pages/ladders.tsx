/** All ladders and tournaments of the arena. */
import { allLadders, allTournaments } from "~/api/arena";
import type { Ladder, Tournament } from "~/gen/fudaba/v1/arena_pb";
import { number, t } from "~/i18n";
import { FormatTerm, Games } from "~/parts/ladder/heading";
import { LadderStateTag, TournamentStateTag } from "~/parts/ladder/states";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { useTitle } from "~/parts/title";

async function loadAll(signal: AbortSignal) {
  const [ladders, tournaments] = await Promise.all([allLadders(signal), allTournaments(signal)]);
  return { ladders, tournaments };
}

export default function Ladders() {
  useTitle(t("shell.ladders"));
  const read = useLoad(loadAll);
  return (
    <>
      <h1>{t("ladder.laddersTitle")}</h1>
      <p class="intro">{t("ladder.laddersIntro")}</p>
      <Shown loaded={read}>
        {({ ladders, tournaments }) => (
          <>
            <LadderCards ladders={ladders} />
            <Tournaments tournaments={tournaments} />
          </>
        )}
      </Shown>
    </>
  );
}

function LadderCards({ ladders }: { ladders: readonly Ladder[] }) {
  return (
    <>
      <h2>{t("shell.ladders")}</h2>
      {ladders.length === 0 ? (
        <Nothing>{t("ladder.laddersNone")}</Nothing>
      ) : (
        <ul class="grid">
          {ladders.map((ladder) => (
            <li class="sheet stack" key={ladder.name}>
              <p class="row apart">
                <strong>
                  <a href={`/ladders/${ladder.name}`}>{ladder.name}</a>
                </strong>
                <LadderStateTag state={ladder.state} />
              </p>
              {ladder.tournament !== undefined && (
                <p>
                  <Games tournament={ladder.tournament} />
                </p>
              )}
              <p class="quiet small">
                {t("ladder.ladderLine", {
                  season: ladder.season,
                  bots: ladder.entriesPlaying,
                  matches: ladder.tournament?.progress?.matchesCounted ?? 0,
                })}
              </p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Tournaments({ tournaments }: { tournaments: readonly Tournament[] }) {
  if (tournaments.length === 0) return null;
  return (
    <>
      <h2>{t("ladder.tournaments")}</h2>
      <div class="scroll" role="region" aria-label={t("ladder.tournaments")} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("ladder.tournament")}</th>
              <th scope="col">{t("ladder.games")}</th>
              <th scope="col">{t("ladder.format")}</th>
              <th scope="col" class="number">
                {t("ladder.bots")}
              </th>
              <th scope="col" class="number">
                {t("ladder.matches")}
              </th>
              <th scope="col">{t("ladder.state")}</th>
            </tr>
          </thead>
          <tbody>
            {tournaments.map((tournament) => (
              <tr key={tournament.name}>
                <th scope="row">
                  <a href={`/tournaments/${tournament.name}`}>{tournament.name}</a>
                </th>
                <td>
                  <Games tournament={tournament} />
                </td>
                <td>{tournament.definition !== undefined && <FormatTerm format={tournament.definition.format} />}</td>
                <td class="number">{number(tournament.definition?.entrants.length ?? 0)}</td>
                <td class="number">{number(tournament.progress?.matchesCounted ?? 0)}</td>
                <td>
                  <TournamentStateTag state={tournament.state} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
