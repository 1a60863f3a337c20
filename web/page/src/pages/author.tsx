/** An author: their bots, and how these stand. */
import { useRoute } from "preact-iso";
import { useCallback } from "preact/hooks";
import { t } from "~/i18n";
import { loadPart } from "~/parts/bot/load";
import { Placings } from "~/parts/bot/placings";
import { Above } from "~/parts/ladder/heading";
import { TournamentStateTag } from "~/parts/ladder/states";
import { nameOf } from "~/parts/ladder/names";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { useTitle } from "~/parts/title";
import "~/parts/bot/bot.css";

export default function Author() {
  const { params } = useRoute();
  const author = params.author ?? "";
  useTitle(author, t("ladder.authors"));
  const read = useLoad(
    useCallback((signal: AbortSignal) => loadPart((entrant) => entrant.author === author, signal), [author]),
  );
  return (
    <>
      <Above />
      <h1>{author}</h1>
      <Shown loaded={read}>
        {({ ladders, tournaments }) => (
          <>
            {ladders.length === 0 && tournaments.length === 0 && <Nothing>{t("ladder.authorNowhere")}</Nothing>}
            {ladders.map((inLadder) => (
              <section key={inLadder.ladder.name}>
                <h2>
                  <a class="plain" href={`/ladders/${inLadder.ladder.name}`}>
                    {inLadder.ladder.name}
                  </a>
                </h2>
                <BotLinks bots={inLadder.entrants.map((entrant) => nameOf(entrant.bot))} />
                <Placings inLadder={inLadder} withBot />
              </section>
            ))}
            {tournaments.length > 0 && <h2>{t("ladder.tournaments")}</h2>}
            {tournaments.map(({ tournament, entrants }) => (
              <section key={tournament.name}>
                <h3>
                  <a class="plain" href={`/tournaments/${tournament.name}`}>
                    {tournament.name}
                  </a>{" "}
                  <TournamentStateTag state={tournament.state} />
                </h3>
                <BotLinks bots={entrants.map((entrant) => nameOf(entrant.bot))} />
              </section>
            ))}
          </>
        )}
      </Shown>
    </>
  );
}

function BotLinks({ bots }: { bots: readonly string[] }) {
  return (
    <p class="row">
      {[...new Set(bots)].map((bot) => (
        <a key={bot} href={`/bots/${bot}`}>
          {bot}
        </a>
      ))}
    </p>
  );
}
