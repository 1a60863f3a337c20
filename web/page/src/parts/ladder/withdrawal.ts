/** Why a bot no longer plays in a tournament, in the reader's language. */
import { type Withdrawal, WithdrawalCause } from "~/gen/fudaba/v1/arena_pb";
import { type MessageKey, t } from "~/i18n";

const CAUSES: Partial<Record<WithdrawalCause, MessageKey>> = {
  [WithdrawalCause.NO_SHOW]: "ladder.withdrawnNoShow",
  [WithdrawalCause.PROCESS_ENDED]: "ladder.withdrawnProcess",
};

/** A clause that names the bot, and the cause where one is stored. */
export function withdrawalInWords({ bot, cause }: Pick<Withdrawal, "bot" | "cause">): string {
  return t(CAUSES[cause] ?? "ladder.newsWithdrawn", { bot });
}
