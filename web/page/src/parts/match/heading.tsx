/** What stands above a board: the game, how far the match is, and who plays. */
import type { SeatLabel } from "~/boards";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import type { Clock, MatchHeader } from "~/gen/fudaba/v1/record_pb";
import { type MessageKey, number, t } from "~/i18n";
import { clockText } from "~/parts/clock";
import { Tag } from "~/parts/tag";
import { signed } from "~/parts/match/seats";

const STATES: Record<MatchState, MessageKey> = {
  [MatchState.UNSPECIFIED]: "match.stateUnknown",
  [MatchState.WAITING]: "match.stateWaiting",
  [MatchState.PLAYING]: "match.statePlaying",
  [MatchState.FINISHED]: "match.stateFinished",
  [MatchState.ABORTED]: "match.stateAborted",
  [MatchState.OPEN]: "match.stateOpen",
};

export function stateName(state: MatchState): string {
  return t(STATES[state]);
}

export function StateTag({ state }: { state: MatchState }) {
  return <Tag tone={state === MatchState.PLAYING ? "live" : "plain"}>{stateName(state)}</Tag>;
}

/** A span of time in seconds, minutes or hours, whichever is whole and short. */
function span(ms: number): string {
  if (ms >= 3_600_000 && ms % 3_600_000 === 0) return t("match.hours", { hours: number(ms / 3_600_000) });
  if (ms >= 60_000 && ms % 60_000 === 0) return t("match.minutes", { minutes: number(ms / 60_000) });
  return t("match.seconds", { seconds: number(ms / 1000, ms % 1000 === 0 ? 0 : 1) });
}

/** The clock of a match in words. */
export function clockWords(clock: Clock): string {
  const parts = [t("match.clockMove", { time: span(clock.moveMs) })];
  if (clock.bankMs > 0) parts.push(t("match.clockBank", { time: span(clock.bankMs) }));
  if (clock.incrementMs > 0) parts.push(t("match.clockIncrement", { time: span(clock.incrementMs) }));
  if (clock.noNetworkCredit) parts.push(t("match.clockNoNetwork"));
  return parts.join(t("match.comma"));
}

/** What is fixed of a match besides its game: rules, clock, label. */
export function About({ header }: { header: MatchHeader }) {
  return (
    <p class="match-about">
      <a href={`/games/${header.game}`}>{t("match.rules")}</a>
      {header.clock !== undefined && <span class="quiet">{clockWords(header.clock)}</span>}
      {header.label !== "" && <span class="quiet">{header.label}</span>}
    </p>
  );
}

export interface SeatNote {
  /** Whether the seat has a decision open. */
  readonly deciding?: boolean;
  /** What is left in its bank, in milliseconds. */
  readonly bankMs?: number | undefined;
}

/** Who sits where, who decides, what is left of their time, and how it ended for them. */
export function Seats(props: {
  seats: readonly SeatLabel[];
  bots: readonly string[];
  match: Match | undefined;
  notes?: readonly SeatNote[];
}) {
  const outcome = props.match?.end?.outcome;
  return (
    <ul class="match-seats">
      {props.seats.map(({ name }, seat) => {
        const { deciding = false, bankMs } = props.notes?.[seat] ?? {};
        const bot = props.bots[seat];
        return (
          <li key={seat} class={deciding ? "is-deciding" : ""} aria-current={deciding ? "true" : undefined}>
            <span class="match-seat-number">{seat + 1}</span>
            {bot === undefined || bot === "" ? <span>{name}</span> : <a href={`/bots/${bot}`}>{name}</a>}
            {deciding && <span class="match-deciding">{t("match.deciding")}</span>}
            {bankMs !== undefined && <span class="match-bank">{t("match.bank", { time: clockText(bankMs) })}</span>}
            {outcome !== undefined && (
              <span class="match-score">
                {t("match.placed", {
                  place: outcome.placements[seat] ?? 0,
                  score: signed(outcome.scores[seat] ?? 0),
                })}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
