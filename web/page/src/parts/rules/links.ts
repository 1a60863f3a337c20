/** Where the links of rule pages lead. */

/**
 * The links of a game's rule page, and of the pages that games share: `shared` names these. They lead to parts of the same
 * page, to shared pages and to other games; anything else is only text, so that a page can lead nowhere unforeseen.
 */
export function resolveLink(to: string, game: string, shared: readonly string[]): string | undefined {
  if (to.startsWith("#")) return to;
  const [name = "", part] = to.split("#");
  const hash = part === undefined ? "" : `#${part}`;
  if (shared.includes(name)) return `/games/${game}?page=${encodeURIComponent(name)}${hash}`;
  const other = /^([a-z_]+)\.md$/.exec(name)?.[1];
  return other === undefined ? undefined : `/games/${other}${hash}`;
}
