/** The blocks of a tournament: what is played, what comes next, and what was played. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useCallback, useState } from "preact/hooks";
import { arena } from "~/api/arena";
import { session } from "~/api/session";
import { type Block, BlockState, type QueuedBlock, QueueCause, type Tournament } from "~/gen/fudaba/v1/arena_pb";
import { type MessageKey, number, t, time } from "~/i18n";
import { blockName } from "~/parts/block_name";
import { gameName } from "~/parts/games";
import { idleInWords, whyHeldBack } from "~/parts/ladder/idle";
import { MatchLinks } from "~/parts/ladder/match_links";
import { Runtimes } from "~/parts/ladder/runtimes";
import { Shares } from "~/parts/ladder/shares";
import { VOID_CAUSES } from "~/parts/ladder/void_causes";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { BotNames, type Lookalikes } from "~/parts/looks_like";
import { Tag, type Tone } from "~/parts/tag";
import { Term } from "~/parts/term";

const PAGE_SIZE = 50;
const MAX_NEXT_BLOCKS = 20;

const STATES: Partial<Record<BlockState, { word: MessageKey; means: MessageKey; tone: Tone }>> = {
  [BlockState.PLAYING]: { word: "ladder.blockPlaying", means: "ladder.blockPlayingMeans", tone: "live" },
  [BlockState.PLANNED]: { word: "ladder.blockPlanned", means: "ladder.blockPlannedMeans", tone: "plain" },
  [BlockState.COUNTED]: { word: "ladder.blockCounted", means: "ladder.blockCountedMeans", tone: "good" },
  [BlockState.VOID]: { word: "ladder.blockVoid", means: "ladder.blockVoidMeans", tone: "warn" },
  [BlockState.PARKED]: { word: "ladder.blockParked", means: "ladder.blockParkedMeans", tone: "warn" },
  [BlockState.ANNULLED]: { word: "ladder.blockAnnulled", means: "ladder.blockAnnulledMeans", tone: "bad" },
};
const CAUSES: Partial<Record<QueueCause, MessageKey>> = {
  [QueueCause.SCHEDULED]: "ladder.queueScheduled",
  [QueueCause.REPLACEMENT]: "ladder.queueReplacement",
  [QueueCause.FEWEST_BLOCKS]: "ladder.queueFewest",
};

export function Schedule({ tournament }: { tournament: Tournament }) {
  return (
    <>
      <p class="quiet">
        {t("ladder.scheduleHow")} <Term word={t("ladder.block")} means="ladder.blockMeans" />
      </p>
      <h2>{t("ladder.next")}</h2>
      {tournament.standingsFrozenTime !== undefined && session.value?.scope !== "organiser" ? (
        <Nothing>{t("ladder.frozenQueue")}</Nothing>
      ) : (
        <Queue tournament={tournament.name} />
      )}
      <h2>{t("ladder.played")}</h2>
      <Played tournament={tournament.name} />
      <Runtimes />
    </>
  );
}

function Queue({ tournament }: { tournament: string }) {
  const read = useLoad(
    useCallback(
      (signal: AbortSignal) => arena.getQueue({ tournament, size: MAX_NEXT_BLOCKS }, { signal }),
      [tournament],
    ),
  );
  return (
    <Shown loaded={read}>
      {({ blocks, more, idleBecause, idleReason, shares, looksLike }) =>
        blocks.length === 0 ? (
          <Nothing>{idleInWords({ idleReason, idleBecause })}</Nothing>
        ) : (
          <>
            <Blocks
              caption={t("ladder.next")}
              blocks={blocks.flatMap((queued) => (queued.block === undefined ? [] : [queued.block]))}
              beside={(_, at) => besideQueued(blocks[at])}
              looksLike={looksLike}
            />
            {more !== undefined && more > 0 && <p class="quiet">{t("ladder.queueMore", { count: more })}</p>}
            {idleBecause !== "" && <p>{t("ladder.heldBack", { why: whyHeldBack({ idleReason, idleBecause }) })}</p>}
            <Shares shares={shares} looksLike={looksLike} />
          </>
        )
      }
    </Shown>
  );
}

/** Why a block is there, and since when it is played. */
function besideQueued(queued: QueuedBlock | undefined): string {
  const why = whyQueued(queued);
  const began = queued?.beginTime;
  return began === undefined ? why : `${why} ${t("ladder.queueSince", { time: time(timestampDate(began)) })}`;
}

function whyQueued(queued: QueuedBlock | undefined): string {
  const cause = queued === undefined ? undefined : CAUSES[queued.cause];
  if (queued === undefined || cause === undefined) return "";
  const why = t(cause, { bot: queued.chosenFor });
  return queued.waitsFor.length === 0 ? why : `${why} ${t("ladder.waitsFor", { bots: queued.waitsFor.join(", ") })}`;
}

function Played({ tournament }: { tournament: string }) {
  const [tokens, setTokens] = useState<readonly string[]>([""]);
  const pageToken = tokens.at(-1) ?? "";
  const read = useLoad(
    useCallback(
      (signal: AbortSignal) => arena.listBlocks({ tournament, pageSize: PAGE_SIZE, pageToken }, { signal }),
      [tournament, pageToken],
    ),
  );
  return (
    <Shown loaded={read}>
      {({ blocks, nextPageToken, looksLike }) => (
        <>
          {blocks.length === 0 ? (
            <Nothing />
          ) : (
            <Blocks
              caption={t("ladder.played")}
              blocks={blocks}
              beside={(block) => whyVoid(block)}
              looksLike={looksLike}
              matchesOf={tournament}
            />
          )}
          <p class="row">
            {tokens.length > 1 && (
              <button
                type="button"
                onClick={() => {
                  setTokens(tokens.slice(0, -1));
                }}
              >
                {t("shell.earlier")}
              </button>
            )}
            {nextPageToken !== "" && (
              <button
                type="button"
                onClick={() => {
                  setTokens([...tokens, nextPageToken]);
                }}
              >
                {t("shell.later")}
              </button>
            )}
          </p>
        </>
      )}
    </Shown>
  );
}

/** Why a block is void or annulled, in words. */
function whyVoid(block: Block): string {
  if (block.annulledBots.length > 0) return `${block.annulledBots.join(" ")}: ${block.annulReason}`;
  if (block.state === BlockState.ANNULLED) return block.annulReason;
  const cause = VOID_CAUSES[block.voidCause];
  if (cause === undefined) return "";
  return block.absentBots.length === 0 ? t(cause) : `${t(cause)} (${block.absentBots.join(", ")})`;
}

function Blocks(props: {
  caption: string;
  blocks: readonly Block[];
  beside: (block: Block, at: number) => string;
  looksLike: Lookalikes;
  /** The tournament whose matches can be looked at. */
  matchesOf?: string;
}) {
  return (
    <div class="scroll" role="region" aria-label={props.caption} tabIndex={0}>
      <table class="blocks">
        <caption class="unseen">{props.caption}</caption>
        <thead>
          <tr>
            <th scope="col" class="number">
              {t("ladder.blockNumber")}
            </th>
            <th scope="col">{t("ladder.game")}</th>
            <th scope="col">{t("ladder.players")}</th>
            <th scope="col">{t("ladder.state")}</th>
            <th scope="col" class="number">
              {t("ladder.matches")}
            </th>
          </tr>
        </thead>
        <tbody>
          {props.blocks.map((block, at) => (
            <BlockRow
              key={String(block.number)}
              block={block}
              beside={props.beside(block, at)}
              looksLike={props.looksLike}
              matchesOf={props.matchesOf}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function BlockRow(props: { block: Block; beside: string; looksLike: Lookalikes; matchesOf: string | undefined }) {
  const { block, matchesOf } = props;
  const [open, setOpen] = useState(false);
  return (
    <>
      <tr>
        <th scope="row" class="number">
          {blockName(block)}
        </th>
        <td>{gameName(block.game)}</td>
        <td>
          {block.namesHidden ? (
            <span class="quiet">{t("ladder.namesHidden")}</span>
          ) : (
            <BotNames bots={block.bots} looksLike={props.looksLike} />
          )}
        </td>
        <td>
          <State state={block.state} /> <span class="quiet small">{props.beside}</span>
        </td>
        <td class="number">
          {matchesOf === undefined ? (
            number(block.matchCount)
          ) : (
            <button
              type="button"
              class="small"
              aria-expanded={open}
              aria-label={t("ladder.matchesOf", { count: block.matchCount, block: blockName(block) })}
              onClick={() => {
                setOpen(!open);
              }}
            >
              {number(block.matchCount)} <span aria-hidden="true">{open ? "▴" : "▾"}</span>
            </button>
          )}
        </td>
      </tr>
      {matchesOf !== undefined && open && (
        <tr>
          <td colSpan={5}>
            <BlockMatches tournament={matchesOf} block={block.number} />
          </td>
        </tr>
      )}
    </>
  );
}

function BlockMatches({ tournament, block }: { tournament: string; block: bigint }) {
  const read = useLoad(
    useCallback(
      (signal: AbortSignal) => arena.listTournamentMatches({ tournament, block, pageSize: 1000 }, { signal }),
      [tournament, block],
    ),
  );
  return <Shown loaded={read}>{({ matches }) => <MatchLinks matches={matches} />}</Shown>;
}

function State({ state }: { state: BlockState }) {
  const label = STATES[state];
  if (label === undefined) return null;
  return (
    <Term word={t(label.word)} means={label.means}>
      <Tag tone={label.tone}>{t(label.word)}</Tag>
    </Term>
  );
}
