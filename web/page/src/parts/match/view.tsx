/** A match by its id: what is there decides how it is shown. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { isMissing } from "~/api/errors";
import { matches } from "~/api/matches";
import { loadSession } from "~/api/session";
import { language, t } from "~/i18n";
import { gameName } from "~/parts/games";
import { Shown, useLoad } from "~/parts/load";
import { Replayed } from "~/parts/match/replayed";
import { Watched } from "~/parts/match/watched";
import { useTitle } from "~/parts/title";
import "~/parts/match/match.css";

/** How often it is asked whether a match is held back still. */
const ASK_MS = 10_000;

export function MatchView({ matchId, embedded = false }: { matchId: string; embedded?: boolean }) {
  const read = useMemo(() => readingOf(matchId), [matchId]);
  const [premiere, setPremiere] = useState(false);
  const key = `${matchId} ${language.value}`; // what happened is told in the reader's language
  return (
    <Shown loaded={useLoad(read)}>
      {({ match, heldBack }, again) => {
        if (match === undefined) return null;
        if (heldBack && match.showDelayMs === 0) {
          const ask = () => {
            setPremiere(true); // whoever has waited sees it from its beginning
            again();
          };
          return <HeldBack game={match.header?.game ?? ""} ask={ask} />;
        }
        if (match.end === undefined) return <Watched key={key} match={match} delayed={heldBack} replay={again} />;
        return <Replayed key={key} match={match} embedded={embedded} premiere={premiere} />;
      }}
    </Shown>
  );
}

/** Reads a match. One that is held back stays so while the service is away: it is asked for again in any case. */
function readingOf(matchId: string) {
  const readMatch = async (signal: AbortSignal) => {
    const { match } = await matches.getMatch({ matchId }, { signal });
    return { match, heldBack: match?.hidden === true && (await loadSession())?.scope !== "organiser" };
  };
  let last: Awaited<ReturnType<typeof readMatch>> | undefined;
  return async (signal: AbortSignal) => {
    try {
      last = await readMatch(signal);
    } catch (error) {
      if (last?.heldBack !== true || isMissing(error)) throw error;
    }
    return last;
  };
}

/** What stands in the place of a match until its block is over: then it begins here by itself. */
function HeldBack({ game, ask }: { game: string; ask: () => void }) {
  useTitle(gameName(game), t("shell.matches"));
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) ask();
    }, ASK_MS);
    return () => {
      clearInterval(timer);
    };
  }, [ask]);
  return (
    <section class="stack" aria-label={gameName(game)}>
      <h1>{gameName(game)}</h1>
      <p role="status">{t("match.heldBack")}</p>
      <p class="quiet">{t("match.heldBackWhy")}</p>
      <p>
        <a class="button" href="/matches">
          {t("shell.matches")}
        </a>
      </p>
    </section>
  );
}
