/**
 * What is kept for later: in this browser, or in this window until it is closed. A browser may deny both (a frame on
 * another site, private windows, its settings), and throws then at the first touch: so nothing else touches them. What it
 * denies is kept as long as the page is not loaded anew.
 */

/** `browser` outlives the window; `window` outlives a reload alone. */
export type Place = "browser" | "window";

/** How the names of secrets begin that their reader has not kept yet. */
export const SECRET = "secret ";

const denied: Readonly<Record<Place, Map<string, string>>> = { browser: new Map(), window: new Map() };

/** What was kept under a name; null if nothing was. */
export function kept(place: Place, name: string): string | null {
  return attempt(place, (storage) => storage.getItem(name)) ?? denied[place].get(name) ?? null;
}

/** Keeps a text under a name. Whether it is there after a reload, too. */
export function keep(place: Place, name: string, text: string): boolean {
  const stored = attempt(place, (storage) => {
    storage.setItem(name, text);
    return true;
  });
  if (stored !== true) denied[place].set(name, text);
  return stored === true;
}

/** Forgets what was kept under a name. */
export function forget(place: Place, name: string): void {
  denied[place].delete(name);
  attempt(place, (storage) => {
    storage.removeItem(name);
  });
}

/** The names under which something is kept that begin so. */
export function keptNames(place: Place, beginning: string): string[] {
  const stored = attempt(place, (storage) => Object.keys(storage)) ?? [];
  return [...stored, ...denied[place].keys()].filter((name) => name.startsWith(beginning));
}

/** Does something with a storage; undefined where the browser denies it, or it is full. */
function attempt<T>(place: Place, work: (storage: Storage) => T): T | undefined {
  try {
    return work(place === "browser" ? localStorage : sessionStorage);
  } catch {
    return undefined;
  }
}
