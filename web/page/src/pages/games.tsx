/** All games that are hosted. */
import { lazy } from "preact-iso";
import { catalog } from "~/api/catalog";
import type { Game } from "~/gen/fudaba/v1/catalog_pb";
import { language, t } from "~/i18n";
import { useSentences } from "~/learn/sentences";
import { nameOfGame } from "~/parts/games";
import { Shown, useLoad } from "~/parts/load";
import { useTitle } from "~/parts/title";
import "~/parts/rules/games.css";

const Cover = lazy(() => import("~/learn/cover"));

const load = (signal: AbortSignal) => catalog.listGames({}, { signal });

export default function Games() {
  useTitle(t("shell.games"));
  const read = useLoad(load);
  const sentences = useSentences();
  return (
    <>
      <h1>{t("shell.games")}</h1>
      <p class="intro">{t("site.gamesIntro")}</p>
      <Shown loaded={read}>
        {({ games }) => (
          <ul class="grid games">
            {games.map((game) => (
              <li key={game.id} class="sheet stack">
                <h2>
                  <a href={`/games/${game.id}`}>{nameOfGame(game)}</a>
                </h2>
                <p class="quiet" lang={language.value === "ja" ? "en" : "ja"}>
                  {language.value === "ja" ? game.name : game.japaneseName}
                </p>
                <div class="cover">
                  <Cover game={game.id} />
                </div>
                <p class="sentence">{sentences[game.id]}</p>
                <p class="row small">
                  <span>{seatsOf(game)}</span>
                  <a href={`/matches?game=${game.id}`}>{t("shell.matches")}</a>
                  <a href={`/play?game=${game.id}`}>{t("shell.play")}</a>
                </p>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </>
  );
}

/** For how many it is. */
export function seatsOf(game: Game): string {
  return game.minSeats === game.maxSeats
    ? t("site.seats", { count: game.minSeats })
    : t("site.seatsBetween", { min: game.minSeats, max: game.maxSeats });
}
