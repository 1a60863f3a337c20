/** Why a ladder plays nothing, in the reader's language. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type GetQueueResponse, IdleCause, type IdleReason } from "~/gen/fudaba/v1/arena_pb";
import { type MessageKey, number, t, time } from "~/i18n";
import { gameName } from "~/parts/games";

/** Causes whose words mention nothing but the game and the bot. */
const CAUSES: Partial<Record<IdleCause, MessageKey>> = {
  [IdleCause.PAUSED]: "ladder.idlePaused",
  [IdleCause.STALLED]: "ladder.idleStalled",
  [IdleCause.ELSEWHERE]: "ladder.idleElsewhere",
  [IdleCause.STARTING]: "ladder.idleStarting",
  [IdleCause.ASKING_PRESENCE]: "ladder.idleAsking",
  [IdleCause.NOBODY_ENTERED]: "ladder.idleNobody",
  [IdleCause.ALL_PAUSED]: "ladder.idleAllPaused",
  [IdleCause.BLOCK_BEGINS]: "ladder.idleBegins",
  [IdleCause.BOT_BUSY]: "ladder.idleBusy",
  [IdleCause.SHARES_REACHED]: "ladder.idleShares",
  [IdleCause.EXTENSION_OPEN]: "ladder.idleExtension",
  [IdleCause.CHECKS_OPEN]: "ladder.idleChecks",
};

/** A sentence that says why nothing is played. What this page does not know of is said in the arena's English. */
export function idleInWords(queue: Pick<GetQueueResponse, "idleReason" | "idleBecause">): string {
  const why = whyHeldBack(queue);
  return why === "" ? t("ladder.queueNone") : t("ladder.idle", { why });
}

/** Why no further block begins; empty where blocks may begin. */
export function whyHeldBack({ idleReason, idleBecause }: Pick<GetQueueResponse, "idleReason" | "idleBecause">): string {
  return (idleReason === undefined ? undefined : whyOf(idleReason)) ?? idleBecause;
}

function whyOf(reason: IdleReason): string | undefined {
  const { cause, someAbsent, beginTime, endTime } = reason;
  const plain = CAUSES[cause];
  if (plain !== undefined) return t(plain, { game: gameName(reason.game), bot: reason.bot });
  switch (cause) {
    case IdleCause.NOT_BEGUN:
      return beginTime && t("ladder.idleNotBegun", { time: time(timestampDate(beginTime)) });
    case IdleCause.MAINTENANCE:
      return endTime && t("ladder.idleMaintenance", { time: time(timestampDate(endTime)) });
    case IdleCause.TOO_FEW_BOTS:
      return tooFew(reason);
    case IdleCause.FINAL_PLAYED:
      return t(someAbsent ? "ladder.idleFinalHere" : "ladder.idleFinal");
    case IdleCause.ALL_CERTAIN:
      return t(someAbsent ? "ladder.idleCertainHere" : "ladder.idleCertain", {
        blocks: reason.blocks,
        narrow: number(reason.narrow),
      });
    default:
      return undefined;
  }
}

function tooFew({ game, botsNeeded, botsFound, differentAuthors, someAbsent, withdrawn }: IdleReason): string {
  const [entered, here]: [MessageKey, MessageKey] = differentAuthors
    ? ["ladder.idleTooFewAuthors", "ladder.idleTooFewAuthorsHere"]
    : ["ladder.idleTooFew", "ladder.idleTooFewHere"];
  const why = t(someAbsent ? here : entered, { game: gameName(game), needed: botsNeeded, found: botsFound });
  return withdrawn.length === 0 ? why : t("ladder.idleWithdrawn", { why, bots: withdrawn.join(", ") });
}
