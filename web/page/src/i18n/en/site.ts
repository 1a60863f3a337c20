/** The start page, and the pages of the games. */
export const site = {
  "site.gamesIntro":
    "Eleven card games, with rules that hold for programs and people alike. Each page has them whole, with numbers to point at.",
  "site.seats": "{count} seats",
  "site.seatsBetween": "{min} to {max} seats",
  "site.contents": "Contents",
  "site.linkTo": "Link to “{part}”",
  "site.table": "Table",
  "site.backTo": "Back to {game}",
  "site.rulesLanguage": "The rule pages are in English.",
  "site.playGame": "Play {game}",
  "site.watchGame": "Watch matches",
  "site.options": "Options of a match",
  "site.option": "Option",
  "site.optionMeans": "What it changes",
  "site.optionDefault": "Default",
  "site.optionRange": "From – to",
} as const;
