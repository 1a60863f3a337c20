/** Why a block is void, in words. */
import { VoidCause } from "~/gen/fudaba/v1/arena_pb";
import type { MessageKey } from "~/i18n";

export const VOID_CAUSES: Partial<Record<VoidCause, MessageKey>> = {
  [VoidCause.NO_SHOW]: "ladder.voidNoShow",
  [VoidCause.ORGANISER]: "ladder.voidOrganiser",
  [VoidCause.LOST]: "ladder.voidLost",
  [VoidCause.STOPPED]: "ladder.voidStopped",
  [VoidCause.AWAY]: "ladder.voidAway",
  [VoidCause.RULES_CHANGED]: "ladder.voidRules",
  [VoidCause.WORKER_LOST]: "ladder.voidWorkerLost",
  [VoidCause.WORKER_SLOW]: "ladder.voidWorkerSlow",
  [VoidCause.NO_RUNTIME]: "ladder.voidRuntime",
  [VoidCause.SUSPENDED]: "ladder.voidSuspended",
  [VoidCause.HOST]: "ladder.voidHost",
  [VoidCause.STARVED]: "ladder.voidStarved",
  [VoidCause.OTHER_MATCH]: "ladder.voidOtherMatch",
};
