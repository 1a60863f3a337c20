/** Secrets that the service tells once, as this window keeps them until their reader has. `secret.tsx` shows them. */
import { useState } from "preact/hooks";
import { SECRET, forget, keep, kept } from "~/kept";

/** The name under which the secret of a bot's token is shown. */
export const tokenOf = (bot: string) => `token of ${bot}`;

/**
 * The secret that is shown under a name, and what shows another one. It outlives a reload of this window, where the browser
 * keeps anything for it; no other window has it. Telling "" forgets it.
 */
export function useSecret(name: string): [string, (secret: string) => void] {
  const [held, setHeld] = useState({ name, secret: kept("window", SECRET + name) ?? "" });
  const secret = held.name === name ? held.secret : (kept("window", SECRET + name) ?? "");
  const show = (next: string) => {
    if (next === "") forget("window", SECRET + name);
    else keep("window", SECRET + name, next);
    setHeld({ name, secret: next });
  };
  return [secret, show];
}
