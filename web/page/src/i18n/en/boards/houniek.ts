/** The board of Houniek. */
import { texts as kamikisen } from "~/i18n/en/boards/kamikisen";

export const texts = {
  ...kamikisen,
  "houniek.cleared": "Cards of earlier rounds",
  "houniek.reading": "It counts as",
  "houniek.toBeat": "To be beaten: {name}{name|’s|r} {meld}, {foot}.",
  "houniek.order":
    "Each beats the ones before it: 1 2 3 4 5 6 7 8 K T. The ship S beats T alone, and all others beat it.",
  "houniek.leadsRound": "{name} {name|leads|lead} to round {round} and {name|draws|draw} {count}.",
  "houniek.askLead": "Lay a single, a set or a run to lead.",
  "houniek.askFollow": "Beat the newest meld, or pass.",
} as const;
