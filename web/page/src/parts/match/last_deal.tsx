/** How the last deal ended: it stays in view while the next one goes on already. */
import type { SeatLabel } from "~/boards";
import type { Event } from "~/gen/fudaba/v1/game_pb";
import { t } from "~/i18n";
import type { Board } from "~/parts/match/board";
import { narrated } from "~/parts/match/seats";

/** What tells, just before a deal ends, by which cards it was won. */
const REASONS: readonly (string | undefined)[] = ["won", "showdown"];

/** The events that tell how the last deal ended; none before the first one has. */
export function dealEnding(events: readonly Event[]): readonly Event[] {
  const kind = (event: Event | undefined): string | undefined => event?.game.value?.kind.case;
  const end = events.findLastIndex((event) => kind(event) === "dealEnded");
  if (end < 0) return [];
  return events.slice(REASONS.includes(kind(events[end - 1])) ? end - 1 : end, end + 1);
}

export function LastDeal(props: { board: Board | undefined; events: readonly Event[]; seats: readonly SeatLabel[] }) {
  const ending = dealEnding(props.events);
  if (props.board === undefined || ending.length === 0) return null;
  return (
    <section class="match-last-deal" aria-label={t("match.lastDeal")}>
      <b>{t("match.lastDeal")}</b>
      {narrated(props.board, ending, props.seats).map((line) => (
        <span key={line}>{line}</span>
      ))}
    </section>
  );
}
