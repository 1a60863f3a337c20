/** The board of Houniek. */
import { texts as kamikisen } from "~/i18n/en/boards/kamikisen";

export const texts = {
  ...kamikisen,
  "houniek.cleared": "Cards of earlier rounds",
  "houniek.reading": "It counts as",
  "houniek.toBeat": "To be beaten: {name}’s {meld}, {foot}.",
  "houniek.order":
    "Each beats the ones before it: 1 2 3 4 5 6 7 8 K T. The ship S beats T alone, and all others beat it.",
  "houniek.leadsRound": "{name} leads to round {round} and draws {count}.",
} as const;
