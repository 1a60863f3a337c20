/** Logins at a provider that the gateway knows; see `fudaba_web.logins`. */
import { READ_MS, inTime } from "~/api/deadlines";
import { ask, session } from "~/api/session";

export interface Provider {
  readonly id: string;
  readonly name: string;
}

/** Whose login is verified and has no account yet. */
export interface Newcomer {
  /** Where the login was. */
  readonly provider: string;
  /** What the provider calls them; may be empty. */
  readonly name: string;
}

/** Why a login ended without a session, as the gateway says it in the page's address. */
export const LOGIN_FAILURES = ["expired", "refused", "unreachable", "unverified", "barred", "service"] as const;
export type LoginFailure = (typeof LOGIN_FAILURES)[number];

/** The providers; none where there are none, or nobody answers. */
export async function providers(signal: AbortSignal): Promise<Provider[]> {
  const answer = await inTime(READ_MS, (ends) => fetch("/session/providers", { signal: ends }), signal);
  return answer.ok ? ((await answer.json()) as Provider[]) : [];
}

/** Where a login begins, and comes back to the path `to`. It leaves the page, so it is a link and no call. */
export function loginAt(to: string): string {
  return `/session/login?to=${encodeURIComponent(to)}`;
}

/** Why the login that has just ended has failed, if it has. */
export function failureIn(search: string): LoginFailure | undefined {
  const failure = new URLSearchParams(search).get("login");
  return LOGIN_FAILURES.find((known) => known === failure);
}

/** A name for an account, as the contract wants it, made of what the provider calls somebody. */
export function accountName(called: string): string {
  const plain = called.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/@.*/, "");
  const name = plain.replace(/[^a-z0-9]+/g, "-").replace(/^[^a-z]+/, "");
  return name.slice(0, 40).replace(/-+$/, "");
}

/** Makes an account for the newcomer, and signs in. Throws what was refused, in words. */
export async function createAccount(name: string, invitationCode: string): Promise<void> {
  session.value = await ask("POST", "/session/account", { name, invitationCode });
}

/** Adds the newcomer's login to the account that is signed in. Throws what was refused, in words. */
export async function linkLogin(): Promise<void> {
  session.value = await ask("POST", "/session/link");
}
