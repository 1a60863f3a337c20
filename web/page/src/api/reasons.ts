/** What stands beside a refusal: its stable reason, which services send in the error's details. */
import { ConnectError } from "@connectrpc/connect";

const INFO = "google.rpc.ErrorInfo";

/** The reason of a refusal, such as "MATCH_OVER"; empty where none was told. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof ConnectError)) return "";
  for (const detail of error.details) {
    if (!("type" in detail) || detail.type !== INFO) continue;
    const said: unknown = detail.debug; // the gateway repeats each detail in JSON
    if (typeof said === "object" && said !== null && "reason" in said) return String(said.reason);
  }
  return "";
}
