/** The board of Mokkaik. */
import { texts as kamikisen } from "~/i18n/en/boards/kamikisen";

export const texts = {
  ...kamikisen,
  "mokkaik.wanted": "{name} laid first. To follow: {meld}, {colours}, stronger than {strength}.",
  "mokkaik.reds": "{count} red",
  "mokkaik.blacks": "{count} black",
  "mokkaik.public": "Public",
  "mokkaik.discarded": "discarded",
  "mokkaik.discardCount": "Discarded",
  "mokkaik.publicCards": "Public cards",
  "mokkaik.beatenCards": "Beaten melds",
  "mokkaik.ownDiscards": "Your discards",
  "mokkaik.sayDiscard": "Discard face down",
  "mokkaik.discard": "Discard {cards}",
  "mokkaik.bestIs": "Best in this round: {name} with a {meld}, strength {strength}.",
  "mokkaik.leadsRound": "{name} {name|leads|lead} to the round.",
  "mokkaik.hasDiscarded": "{name} {name|discards|discard} {count}, face down.",
  "mokkaik.roundWon": "{name} {name|wins|win} the round and {name|keeps|keep} {cards}.",
  "mokkaik.askLead": "Lay a meld to lead to the round.",
  "mokkaik.askFollow": "Lay a stronger meld, or discard cards: {count}.",
  "mokkaik.askDiscard": "None of your melds is stronger. Cards to discard: {count}.",
} as const;
