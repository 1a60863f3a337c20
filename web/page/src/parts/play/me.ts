/** Who plays here, by the session of this browser. */

/** What the gateway says of a session; without one only `signedIn`. */
export interface Session {
  readonly signedIn: boolean;
  readonly scope?: string;
  /** The bot that plays with it; a guest's name in matches. */
  readonly bot?: string;
}

const HEADERS = { "x-fudaba-page": "1", "content-type": "application/json" };

export async function session(signal: AbortSignal): Promise<Session> {
  const answer = await fetch("/session", { headers: HEADERS, signal });
  if (answer.status === 401) return { signedIn: false }; // it was revoked, or has expired
  return await read(answer);
}

/** Whether a session can take a seat by itself. */
export function plays({ scope }: Session): boolean {
  return scope === "guest" || scope === "bot";
}

/** Makes this browser a guest's. */
export async function becomeGuest(): Promise<Session> {
  return await read(await fetch("/session/guest", { method: "POST", headers: HEADERS, body: "{}" }));
}

async function read(answer: Response): Promise<Session> {
  const said = (await answer.json()) as Session & { message?: string };
  if (!answer.ok) throw new Error(said.message ?? answer.statusText);
  return said;
}
