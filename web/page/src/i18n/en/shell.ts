/** What stands around every page. */
export const shell = {
  "shell.skip": "Skip to the content",
  "shell.ladders": "Ladders",
  "shell.matches": "Matches",
  "shell.games": "Games",
  "shell.play": "Play",
  "shell.enter": "Enter a bot",
  "shell.account": "Account",
  "shell.signIn": "Sign in",
  "shell.language": "Language",
  "shell.loading": "Loading …",
  "shell.missing": "There is no such page.",
  "shell.again": "Try again",
} as const;
