/** How a bot behaves: the time it takes, its illegal answers, what it has forfeited, which of its blocks were void. */
import type { ComponentChildren } from "preact";
import { useCallback } from "preact/hooks";
import type { ForfeitCount, NetworkCredit, VoidCause, VoidCount } from "~/gen/fudaba/v1/arena_pb";
import { ForfeitCause } from "~/gen/fudaba/v1/record_pb";
import { type MessageKey, number, t } from "~/i18n";
import { type Habits, habitsOf, readRecords } from "~/parts/bot/habits";
import { VOID_CAUSES } from "~/parts/ladder/void_causes";
import { Shown, useLoad } from "~/parts/load";
import { Term } from "~/parts/term";

const MAX_RECORDS = 20;
const CAUSES: Partial<Record<ForfeitCause, MessageKey>> = {
  [ForfeitCause.RESIGNED]: "ladder.forfeitResigned",
  [ForfeitCause.TIMEOUTS]: "ladder.forfeitTimeouts",
  [ForfeitCause.ILLEGAL]: "ladder.forfeitIllegal",
  [ForfeitCause.CRASHED]: "ladder.forfeitCrashed",
  [ForfeitCause.CPU]: "ladder.forfeitCpu",
  [ForfeitCause.LIMIT]: "ladder.forfeitLimit",
  [ForfeitCause.ABSENT]: "ladder.forfeitAbsent",
};

export function Behaviour(props: {
  bot: string;
  forfeits: readonly ForfeitCount[];
  voids: readonly VoidCount[];
  credits: readonly NetworkCredit[];
}) {
  const { bot, forfeits, voids, credits } = props;
  const read = useLoad(
    useCallback(async (signal: AbortSignal) => habitsOf(bot, await readRecords(bot, MAX_RECORDS, signal)), [bot]),
  );
  return (
    <>
      <h2>{t("ladder.behaviour")}</h2>
      <Shown loaded={read}>{(habits) => <Numbers habits={habits} />}</Shown>
      <Forfeits forfeits={forfeits} />
      <Voids counts={voids} />
      <NetworkCredits credits={credits} />
    </>
  );
}

function Numbers({ habits }: { habits: Habits }) {
  if (habits.decisions === 0) return <p class="quiet">{t("ladder.behaviourNone")}</p>;
  return (
    <>
      <p class="quiet">{t("ladder.behaviourHow", { matches: habits.matches, decisions: habits.decisions })}</p>
      <dl class="facts">
        <Fact name={t("ladder.meanTime")}>{seconds(habits.meanSeconds ?? 0)}</Fact>
        <Fact name={t("ladder.longestTime")}>{seconds(habits.longestSeconds ?? 0)}</Fact>
        <Fact name={<Term word={t("ladder.timeouts")} means="ladder.timeoutsMeans" />}>{number(habits.timeouts)}</Fact>
        <Fact name={<Term word={t("ladder.illegal")} means="ladder.illegalMeans" />}>{number(habits.illegal)}</Fact>
      </dl>
    </>
  );
}

/** Seconds in a unit in which they can be read. */
export function seconds(value: number): string {
  return value < 1 ? `${number(value * 1000, value < 0.01 ? 1 : 0)} ms` : `${number(value, 1)} s`;
}

function Fact(props: { name: ComponentChildren; children: ComponentChildren }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

function Forfeits({ forfeits }: { forfeits: readonly ForfeitCount[] }) {
  if (forfeits.length === 0) return null;
  const causes = forfeits.map((forfeit) => {
    const cause = CAUSES[forfeit.cause];
    return t("ladder.forfeitLine", {
      count: forfeit.matches,
      why: cause === undefined ? "" : t(cause),
      bot: forfeit.bot,
    });
  });
  return (
    <p>
      <Term word={t("ladder.forfeits")} means="ladder.forfeitsMeans" />: {causes.join(" · ")}
    </p>
  );
}

/** In how many void blocks its versions were to play, by cause. */
export function Voids({ counts }: { counts: readonly VoidCount[] }) {
  if (counts.length === 0) return null;
  const blocksByCause = new Map<VoidCause, number>();
  for (const { cause, blocks } of counts) blocksByCause.set(cause, (blocksByCause.get(cause) ?? 0) + blocks);
  const causes = [...blocksByCause].map(([cause, blocks]) => {
    const why = VOID_CAUSES[cause];
    return why === undefined ? String(blocks) : t("ladder.voidLine", { count: blocks, why: t(why) });
  });
  return (
    <p>
      <Term word={t("ladder.voidBlocks")} means="ladder.voidsMeans" />: {causes.join(" · ")}
    </p>
  );
}

/** What was credited to each version for the network: the median of its decisions, and how much that varied. */
export function NetworkCredits({ credits }: { credits: readonly NetworkCredit[] }) {
  if (credits.length === 0) return null;
  const ms = (us: number) => number(us / 1000);
  const versions = credits.map((credit) =>
    t("ladder.networkCreditLine", {
      median: ms(credit.medianUs),
      low: ms(credit.lowUs),
      high: ms(credit.highUs),
      decisions: number(Number(credit.decisions)),
      bot: credit.bot,
    }),
  );
  return (
    <p>
      <Term word={t("ladder.networkCredit")} means="ladder.networkCreditMeans" />: {versions.join(" · ")}
    </p>
  );
}
