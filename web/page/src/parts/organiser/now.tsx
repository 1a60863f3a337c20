/** What the arena does now: what is played, what is set aside, what went wrong, and on how many workers. */
import { useCallback } from "preact/hooks";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { allLadders, allTournaments, arena } from "~/api/arena";
import { everyPage } from "~/api/every_page";
import {
  type Block,
  BlockState,
  type Tournament,
  TournamentState,
  VoidCause,
  type Withdrawal,
} from "~/gen/fudaba/v1/arena_pb";
import { type MessageKey, t, time } from "~/i18n";
import { blockName } from "~/parts/block_name";
import { Act } from "~/parts/enter/act";
import { idleInWords } from "~/parts/ladder/idle";
import { withdrawalInWords } from "~/parts/ladder/withdrawal";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { BotNames, type Lookalikes } from "~/parts/looks_like";
import { CommandLine } from "~/parts/organiser/command_line";
import { Stalled } from "~/parts/organiser/stalled";
import { Workers } from "~/parts/organiser/workers";
import { Tag, type Tone } from "~/parts/tag";

const MAX_MATCHES = 100;
/** Void blocks that are shown, the latest first. */
const MAX_VOID_BLOCKS = 10;

const STATES: Partial<Record<TournamentState, [MessageKey, Tone]>> = {
  [TournamentState.PLAYING]: ["ladder.statePlaying", "live"],
  [TournamentState.PAUSED]: ["ladder.statePaused", "warn"],
  [TournamentState.STALLED]: ["ladder.stateStalled", "bad"],
};
/** Causes that are nobody's wish: what an organiser looks after. */
const FAULTS: Partial<Record<VoidCause, MessageKey>> = {
  [VoidCause.NO_SHOW]: "organiser.faultNoShow",
  [VoidCause.LOST]: "organiser.faultLost",
  [VoidCause.AWAY]: "organiser.faultAway",
  [VoidCause.RULES_CHANGED]: "organiser.faultRules",
  [VoidCause.WORKER_LOST]: "organiser.faultWorkerLost",
  [VoidCause.WORKER_SLOW]: "organiser.faultWorkerSlow",
  [VoidCause.NO_RUNTIME]: "organiser.faultRuntime",
  [VoidCause.HOST]: "organiser.faultHost",
  [VoidCause.STARVED]: "organiser.faultStarved",
};

export function Now() {
  const open = useLoad(useCallback((signal) => underWay(signal), []));
  return (
    <>
      <Shown loaded={open}>
        {(found, again) =>
          found.length === 0 ? (
            <Nothing>{t("organiser.nothingRuns")}</Nothing>
          ) : (
            <>
              <p>
                <button type="button" class="small" onClick={again}>
                  {t("organiser.lookAgain")}
                </button>
              </p>
              {found.map((tournament) => (
                <Running key={tournament.name} tournament={tournament} again={again} />
              ))}
            </>
          )
        }
      </Shown>
      <Workers />
    </>
  );
}

/** The seasons of ladders and the tournaments that are not over. */
async function underWay(signal: AbortSignal): Promise<Tournament[]> {
  const [ladders, tournaments] = await Promise.all([allLadders(signal), allTournaments(signal)]);
  const seasons = ladders.flatMap(({ tournament }) => (tournament === undefined ? [] : [tournament]));
  return [...seasons, ...tournaments].filter((tournament) => tournament.state !== TournamentState.CLOSED);
}

function Running({ tournament, again }: { tournament: Tournament; again: () => void }) {
  const blocks = useLoad(useCallback((signal) => blocksOf(tournament, signal), [tournament]));
  const [state, tone] = STATES[tournament.state] ?? ["ladder.statePlaying", "plain"];
  return (
    <section class="sheet">
      <h2 class="row">
        <a href={`/tournaments/${encodeURIComponent(tournament.name)}`}>{tournament.name}</a>
        <Tag tone={tone}>{t(state)}</Tag>
      </h2>
      {tournament.state === TournamentState.STALLED && <Stalled tournament={tournament} />}
      <Withdrawn withdrawals={tournament.withdrawals} />
      <Shown loaded={blocks}>
        {({ playing, parked, faults, queue, looksLike }) => (
          <>
            <p>{playing.length === 0 ? idleInWords(queue) : t("organiser.playedNow")}</p>
            <Blocks blocks={playing} looksLike={looksLike} />
            {parked.length > 0 && (
              <>
                <h3>{t("organiser.setAside", { count: parked.length })}</h3>
                <p class="quiet">{t("organiser.setAsideIntro")}</p>
                <Blocks blocks={parked} looksLike={looksLike} />
                <Act act={() => arena.resumeTournament({ tournament: tournament.name })} done={again}>
                  {t("organiser.retry")}
                </Act>
                <CommandLine lines={[["fudaba", "tournament", "resume", tournament.name]]} />
              </>
            )}
            {faults.length > 0 && (
              <>
                <h3>{t("organiser.faults", { count: faults.length })}</h3>
                <Blocks blocks={faults.slice(0, MAX_VOID_BLOCKS)} looksLike={looksLike} />
              </>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

/** The bots that no longer play, with what the arena notes of each in English: it ends with what the bot printed. */
function Withdrawn({ withdrawals }: { withdrawals: readonly Withdrawal[] }) {
  if (withdrawals.length === 0) return null;
  const title = t("organiser.withdrawn", { count: withdrawals.length });
  return (
    <>
      <h3>{title}</h3>
      <ul class="entries" aria-label={title}>
        {withdrawals.map((withdrawal) => {
          const said = withdrawalInWords(withdrawal);
          return (
            <li key={withdrawal.bot}>
              <p>{said}</p>
              {withdrawal.message !== "" && (
                <pre lang="en" tabIndex={0} aria-label={said}>
                  {withdrawal.message}
                </pre>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

async function blocksOf({ name }: Tournament, signal: AbortSignal) {
  const looksLike: Record<string, string> = {};
  const list = (state: BlockState) =>
    everyPage(
      (page) => arena.listBlocks({ tournament: name, state, ...page }, { signal }),
      (page) => {
        Object.assign(looksLike, page.looksLike);
        return page.blocks;
      },
    );
  const [queue, parked, empty] = await Promise.all([
    arena.getQueue({ tournament: name, size: MAX_MATCHES }, { signal }),
    list(BlockState.PARKED),
    list(BlockState.VOID),
  ]);
  const queued = queue.blocks.flatMap(({ block }) => (block === undefined ? [] : [block]));
  const playing = queued.filter((block) => block.state === BlockState.PLAYING);
  Object.assign(looksLike, queue.looksLike);
  return { playing, parked, faults: latestFaults(empty), queue, looksLike };
}

/** The blocks that are void by a fault, the latest first. */
export function latestFaults(blocks: readonly Block[]): Block[] {
  const when = (block: Block) => Number(block.voidTime?.seconds ?? 0n);
  return blocks.filter((block) => block.voidCause in FAULTS).sort((left, right) => when(right) - when(left));
}

function Blocks({ blocks, looksLike }: { blocks: readonly Block[]; looksLike: Lookalikes }) {
  return (
    <ul class="entries">
      {blocks.map((block) => {
        const fault = FAULTS[block.voidCause];
        return (
          <li class="row" key={String(block.number)}>
            <span class="quiet">{t("organiser.block", { number: blockName(block) })}</span>
            <span>{block.game}</span>
            <span>
              <BotNames bots={block.bots} looksLike={looksLike} />
            </span>
            {fault !== undefined && (
              <span class="quiet">
                {[t(fault), ...block.absentBots].join(" ")}
                {block.voidTime !== undefined && `, ${time(timestampDate(block.voidTime))}`}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
