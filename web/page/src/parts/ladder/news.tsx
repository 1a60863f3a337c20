/** What has just happened in a ladder. */
import { type Block, BlockState, EntryChangeKind, type TournamentChange } from "~/gen/fudaba/v1/arena_pb";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type MessageKey, language, t } from "~/i18n";
import { blockName } from "~/parts/block_name";
import { gameName } from "~/parts/games";
import { nameOf } from "~/parts/ladder/names";
import { withdrawalInWords } from "~/parts/ladder/withdrawal";
import "~/parts/ladder/heading.css";

const ENTRY_NEWS: Partial<Record<EntryChangeKind, MessageKey>> = {
  [EntryChangeKind.ENTERED]: "ladder.newsEntered",
  [EntryChangeKind.PAUSED]: "ladder.newsPaused",
  [EntryChangeKind.RESUMED]: "ladder.newsResumed",
  [EntryChangeKind.LEFT]: "ladder.newsLeft",
  [EntryChangeKind.DISQUALIFIED]: "ladder.newsDisqualified",
  [EntryChangeKind.REINSTATED]: "ladder.newsReinstated",
  [EntryChangeKind.FROZEN]: "ladder.newsFrozen",
};
const BLOCK_NEWS: Partial<Record<BlockState, MessageKey>> = {
  [BlockState.COUNTED]: "ladder.newsCounted",
  [BlockState.VOID]: "ladder.newsVoid",
  [BlockState.ANNULLED]: "ladder.newsAnnulled",
};

/** Not a live region: a ladder may tell several blocks a second, and nobody wants that read out. */
export function News({ changes }: { changes: readonly TournamentChange[] }) {
  const lines = changes.flatMap((change) => {
    const said = newsLine(change);
    return said === "" ? [] : [{ said, at: change.time }];
  });
  if (lines.length === 0) return null;
  return (
    <section aria-label={t("ladder.news")}>
      <h2>{t("ladder.news")}</h2>
      <ul class="news">
        {lines.map(({ said, at }, place) => (
          <li key={`${place} ${said}`}>
            <span class="quiet numbers">{at === undefined ? "" : clock(timestampDate(at))}</span> {said}
          </li>
        ))}
      </ul>
    </section>
  );
}

function clock(at: Date): string {
  return at.toLocaleTimeString(language.value, { timeStyle: "medium" });
}

/** A change in words; empty where nobody cares. */
export function newsLine({ change }: Pick<TournamentChange, "change">): string {
  switch (change.case) {
    case "block":
      return blockLine(change.value);
    case "entry": {
      const key = ENTRY_NEWS[change.value.kind];
      return key === undefined ? "" : t(key, { bot: change.value.bot, version: change.value.version });
    }
    case "withdrawal":
      return withdrawalInWords(change.value);
    default:
      return "";
  }
}

function blockLine(block: Block): string {
  const key = BLOCK_NEWS[block.state];
  if (key === undefined) return "";
  return t(key, {
    block: blockName(block),
    game: gameName(block.game),
    bots: block.namesHidden ? t("ladder.namesHidden") : block.bots.map(nameOf).join(" – "),
  });
}
