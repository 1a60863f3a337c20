/** Who uses this browser: the gateway's session, a cookie that no script can read. */
import { signal } from "@preact/signals";
import { ONCE_MS, READ_MS, inTime } from "~/api/deadlines";
import { FROM_THIS_PAGE } from "~/api/from_this_page";
import type { Newcomer } from "~/api/logins";
import { SessionRefused } from "~/api/reasons";
import { SECRET, forget, keptNames } from "~/kept";

export interface Session {
  readonly scope: "organiser" | "author" | "bot" | "guest";
  readonly account: string;
  readonly bot: string;
  readonly version: string;
  readonly label: string;
  /** The token's own id, by which lists of tokens name it. */
  readonly tokenId: string;
  /** When it ends by itself, in ISO 8601; null where it does not. */
  readonly expireTime: string | null;
}

/** A login that waits for an account, also while somebody is signed in with a token; null if none does. */
export const newcomer = signal<Newcomer | null>(null);

/** Undefined until the gateway was asked; null while nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** Whether the token of who is signed in counts no more: it has expired, or was revoked. */
export const lapsed = signal(false);

/** Asks the gateway who is signed in; null if nobody is. */
export async function loadSession(): Promise<Session | null> {
  const loaded = await ask("GET", "/session");
  session.value = loaded;
  return loaded;
}

/** Whether somebody can take a seat: authors and organisers have bots do that. */
export function plays(current: Session): boolean {
  return current.scope === "guest" || current.scope === "bot";
}

/** Signs in with a token. Throws what was refused, in words. */
export async function signIn(token: string): Promise<void> {
  session.value = await ask("POST", "/session", { token });
}

/** Signs in with a code, which is used up; `session` is still to be told. Throws what was refused, in words. */
export function enterWithCode(code: string): Promise<Session | null> {
  return ask("POST", "/session/code", { code });
}

/** Signs in as a new guest, who plays what counts for no rating. */
export async function becomeGuest(): Promise<void> {
  session.value = await ask("POST", "/session/guest");
}

export async function signOut(): Promise<void> {
  await ask("DELETE", "/session");
  for (const name of keptNames("window", SECRET)) forget("window", name); // whoever sits here next reads none of them
  session.value = null;
}

type SessionAnswer = { signedIn?: boolean; message?: string; details?: unknown[]; newcomer?: Newcomer } & Session;

/** Asks the gateway something of the session; who is signed in then. Throws what was refused, in words. */
export async function ask(method: string, path: string, body?: unknown): Promise<Session | null> {
  const answer = await inTime(method === "GET" ? READ_MS : ONCE_MS, (signal) =>
    fetch(path, {
      method,
      headers: FROM_THIS_PAGE,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    }),
  );
  if (answer.status === 204) return null;
  const content = (await answer.json()) as SessionAnswer;
  if (answer.status === 401 && method === "GET") return null; // its token was revoked, or has expired
  if (!answer.ok) throw new SessionRefused(content.message ?? answer.statusText, content.details);
  lapsed.value = false;
  newcomer.value = path === "/session" ? (content.newcomer ?? null) : null;
  return content.signedIn === true ? content : null;
}
