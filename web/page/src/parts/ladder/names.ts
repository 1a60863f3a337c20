/** Names that the arena puts together, and their parts. */

/** The name of a bot without the version that a season adds to it. */
export function nameOf(bot: string): string {
  const at = bot.lastIndexOf("@");
  return at < 0 ? bot : bot.slice(0, at);
}

/** Of a ladder's name and a season's number the tournament that the season is. */
export function seasonName(ladder: string, season: number): string {
  return `${ladder}.${season}`;
}
