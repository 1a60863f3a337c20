/** What happened, in words: beside the board, and once for screen readers. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { SeatLabel } from "~/boards";
import type { Event } from "~/gen/fudaba/v1/game_pb";
import { t } from "~/i18n";
import type { Board } from "~/parts/match/board";
import { narrated } from "~/parts/match/seats";

const MAX_LOG_LINES = 200;

/** A line of the log; one that belongs to a position leads there. */
export interface Line {
  readonly text: string;
  readonly at?: number;
}

/** The last lines of what has been told. */
export function useLines(board: Board | undefined, events: readonly Event[], seats: readonly SeatLabel[]): Line[] {
  return useMemo(() => {
    return board === undefined
      ? []
      : narrated(board, events.slice(-MAX_LOG_LINES), seats).map((text): Line => ({ text }));
  }, [board, events, seats]);
}

export function Log({ lines, go }: { lines: readonly Line[]; go?: (at: number) => void }) {
  const listRef = useRef<HTMLOListElement>(null);
  const count = lines.length;
  useEffect(() => {
    const element = listRef.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [count]);
  return (
    <section class="match-log" aria-labelledby="match-log-title">
      <h2 id="match-log-title">{t("match.log")}</h2>
      {count === 0 ? (
        <p class="quiet">{t("match.logEmpty")}</p>
      ) : (
        <ol ref={listRef} tabIndex={0} aria-label={t("match.log")}>
          {lines.slice(-MAX_LOG_LINES).map(({ text, at }, place) => (
            <li key={place}>
              {at === undefined || go === undefined ? (
                text
              ) : (
                <button
                  type="button"
                  class="bare match-line"
                  onClick={() => {
                    go(at);
                  }}
                >
                  {text}
                </button>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** Says what is new to screen readers, when they have time, and shows nothing. */
export function Announce({ text }: { text: string }) {
  return (
    <p class="unseen" role="status" aria-live="polite">
      {text}
    </p>
  );
}
