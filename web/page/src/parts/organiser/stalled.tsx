/** What stalls a tournament: in the reader's language, with what the arena says of it in English where that tells more. */
import { StallCause, type StallReason, type Tournament } from "~/gen/fudaba/v1/arena_pb";
import { type MessageKey, t } from "~/i18n";

/** Causes, and whether the arena's text has what the words for the cause do not say. */
const CAUSES: Partial<Record<StallCause, readonly [MessageKey, boolean]>> = {
  [StallCause.PARKED]: ["organiser.stallParked", false],
  [StallCause.TOO_FEW_FOR_ROUND]: ["organiser.stallRound", false],
  [StallCause.FILE]: ["organiser.stallFile", true],
  [StallCause.BOTS]: ["organiser.stallBots", true],
  [StallCause.SERVICE]: ["organiser.stallService", true],
  [StallCause.UNREADABLE]: ["organiser.stallUnreadable", true],
  [StallCause.FAULT]: ["organiser.stallFault", false],
};

export function Stalled({ tournament }: { tournament: Tournament }) {
  const { stallReason, stalledBecause } = tournament;
  const [key, withText] = CAUSES[stallReason?.cause ?? StallCause.UNSPECIFIED] ?? ["organiser.stallOther", true];
  return (
    <>
      <p class="bad">{t(key, amounts(stallReason))}</p>
      {withText && stalledBecause !== "" && (
        <pre class="bad" lang="en" tabIndex={0} aria-label={t(key)}>
          {stalledBecause}
        </pre>
      )}
    </>
  );
}

function amounts(reason: StallReason | undefined): Record<string, number | string> {
  if (reason === undefined) return {};
  const { blocksParked: parked, blocks, round, rounds, fault } = reason;
  return { parked, blocks, round, rounds, fault };
}
