/** A board that goes from one match to the next by itself, for a projector: nobody has to touch anything. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { inWords } from "~/api/errors";
import { t } from "~/i18n";
import { Loading, useLoad } from "~/parts/load";
import { chooseShown } from "~/parts/match/choose_shown";
import { ShownAgain, ShownLive } from "~/parts/match/showing";
import { useTitle } from "~/parts/title";
import "~/parts/match/match.css";

/** How long after a failure, or while there is nothing, it is asked again. */
const ASK_MS = 10_000;

export default function Now() {
  useTitle(t("match.nowShowing"));
  const shownRef = useRef(new Set<string>());
  const chosen = useLoad(useCallback((signal: AbortSignal) => chooseShown(shownRef.current, signal), []));
  const [turn, setTurn] = useState(0);
  const match = chosen.state === "there" ? chosen.value : undefined;
  const again = chosen.state === "loading" ? undefined : chosen.again;
  const empty = match === undefined;
  useEffect(() => {
    if (!empty || again === undefined) return undefined;
    const timer = setTimeout(again, ASK_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [empty, again, chosen]);
  const next = useCallback(() => {
    setTurn((last) => last + 1);
    again?.();
  }, [again]);
  if (match === undefined) {
    return (
      <article class="match at-table">
        <div class="match-empty">
          <h1>{t("match.nowShowing")}</h1>
          {chosen.state === "loading" ? (
            <Loading />
          ) : (
            <p role="status">{chosen.state === "failed" ? inWords(chosen.error) : t("match.nothingToShow")}</p>
          )}
          <p>
            <a href="/matches">{t("shell.matches")}</a>
          </p>
        </div>
      </article>
    );
  }
  return <ShownMatch key={`${turn} ${match.header?.matchId ?? ""}`} match={match} next={next} />;
}

function ShownMatch(props: { match: Match; next: () => void }) {
  return props.match.state === MatchState.PLAYING ? <ShownLive {...props} /> : <ShownAgain {...props} />;
}
