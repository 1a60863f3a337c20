/** Why a challenge waits, in the reader's language. */
import { type Challenge, ChallengeCause } from "~/gen/fudaba/v1/arena_pb";
import { type MessageKey, t } from "~/i18n";

const CAUSES: Partial<Record<ChallengeCause, MessageKey>> = {
  [ChallengeCause.BOT_ABSENT]: "ladder.challengeAbsent",
  [ChallengeCause.NO_ROOM]: "ladder.challengeNoRoom",
  [ChallengeCause.MAINTENANCE]: "ladder.challengeMaintenance",
  [ChallengeCause.OBSTACLE]: "ladder.challengeObstacle",
};

/** A sentence, or nothing. A cause that this page does not know is said in the arena's English. */
export function waitInWords({ cause, message, waitsFor }: Pick<Challenge, "cause" | "message" | "waitsFor">): string {
  const key = CAUSES[cause];
  return key === undefined ? message : t(key, { bots: waitsFor.join(", ") });
}
