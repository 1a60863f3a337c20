/** What stands beside a refusal: its stable reason, which services send in the error's details. */
import { ConnectError } from "@connectrpc/connect";

const INFO = "google.rpc.ErrorInfo";

/** A refusal that the gateway told outside of a call: of a session. */
export class SessionRefused extends Error {
  readonly reason: string;

  constructor(message: string, details: readonly unknown[] = []) {
    super(message);
    this.reason = reasonIn(details);
  }
}

/** The reason of a refusal, such as "MATCH_OVER"; empty where none was told. */
export function reasonOf(error: unknown): string {
  if (error instanceof SessionRefused) return error.reason;
  return error instanceof ConnectError ? reasonIn(error.details) : "";
}

function reasonIn(details: readonly unknown[]): string {
  for (const detail of details) {
    if (typeof detail !== "object" || detail === null || !("type" in detail) || detail.type !== INFO) continue;
    const said: unknown = "debug" in detail ? detail.debug : undefined; // the gateway repeats each detail in JSON
    if (typeof said === "object" && said !== null && "reason" in said) return String(said.reason);
  }
  return "";
}
