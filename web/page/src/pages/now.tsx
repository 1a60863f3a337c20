/** A board that goes from one match to the next by itself, for a projector: nobody has to touch anything. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Match } from "~/gen/fudaba/v1/matches_pb";
import { inWords } from "~/api/errors";
import { t } from "~/i18n";
import { Loading, useLoad } from "~/parts/load";
import { type Choice, chooseShown, goesOn } from "~/parts/match/choose_shown";
import { Countdown } from "~/parts/match/shown_later";
import { ShownAgain, ShownLive } from "~/parts/match/showing";
import { useTitle } from "~/parts/title";
import "~/parts/match/match.css";

/** How long after a failure, or while there is nothing, it is asked again. */
const ASK_MS = 10_000;
/** The least time until something that is about to begin is asked for. */
const MIN_WAIT_MS = 100;

const NOTHING: Choice = { match: undefined, nextFromMs: undefined };

export default function Now() {
  useTitle(t("match.nowShowing"));
  const shownRef = useRef(new Set<string>());
  const chosen = useLoad(useCallback((signal: AbortSignal) => chooseShown(shownRef.current, signal), []));
  const [turn, setTurn] = useState(0);
  const { match, nextFromMs } = chosen.state === "there" ? chosen.value : NOTHING;
  const again = chosen.state === "loading" ? undefined : chosen.again;
  const next = useCallback(() => {
    setTurn((last) => last + 1);
    again?.();
  }, [again]);
  const waits = match === undefined;
  const givesWay = match !== undefined && !goesOn(match) && nextFromMs !== undefined;
  useEffect(() => {
    if (again === undefined || !(waits || givesWay)) return undefined;
    const leftMs = Math.max(MIN_WAIT_MS, (nextFromMs ?? Number.POSITIVE_INFINITY) - Date.now());
    const timer = setTimeout(waits ? again : next, waits ? Math.min(ASK_MS, leftMs) : leftMs);
    return () => {
      clearTimeout(timer);
    };
  }, [waits, givesWay, nextFromMs, again, next, chosen]);
  if (match === undefined) {
    return (
      <article class="match at-table">
        <div class="match-empty">
          <h1>{t("match.nowShowing")}</h1>
          {chosen.state === "loading" ? (
            <Loading />
          ) : (
            <p role="status">
              {chosen.state === "failed" ? (
                inWords(chosen.error)
              ) : nextFromMs === undefined ? (
                t("match.nothingToShow")
              ) : (
                <Countdown atMs={nextFromMs} text="shown.nextStartsIn" />
              )}
            </p>
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
  return goesOn(props.match) ? <ShownLive {...props} /> : <ShownAgain {...props} />;
}
