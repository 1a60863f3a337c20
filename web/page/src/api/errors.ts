/** Refusals in words. */
import { Code, ConnectError } from "@connectrpc/connect";
import { reasonOf } from "~/api/reasons";
import { refusal, t } from "~/i18n";

/**
 * What was refused and why, as service and arena say it; both say what to do. They say it in English: in another
 * language the words for its reason stand before.
 */
export function inWords(error: unknown): string {
  const said = asSaid(error);
  const reason = refusal(reasonOf(error));
  return reason === undefined ? said : t("shell.refusal", { reason, said });
}

function asSaid(error: unknown): string {
  if (error instanceof ConnectError && error.code === Code.DeadlineExceeded) return t("shell.noAnswer");
  if (error instanceof ConnectError) return error.rawMessage;
  return error instanceof Error ? error.message : String(error);
}

/** Whether there is nothing of what was asked for: to ask again would not help. */
export function isMissing(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.NotFound;
}

/** Whether a call ended because nobody waits for it any more: no fault, and nothing to show. */
export function wasCancelled(error: unknown): boolean {
  return ConnectError.from(error).code === Code.Canceled;
}
