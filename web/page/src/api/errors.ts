/** Refusals in words. */
import { Code, ConnectError } from "@connectrpc/connect";

/** What was refused and why, as service and arena say it; both say what to do. */
export function inWords(error: unknown): string {
  if (error instanceof ConnectError) return error.rawMessage;
  return error instanceof Error ? error.message : String(error);
}

/** Whether a call ended because nobody waits for it any more: no fault, and nothing to show. */
export function wasCancelled(error: unknown): boolean {
  return ConnectError.from(error).code === Code.Canceled;
}
