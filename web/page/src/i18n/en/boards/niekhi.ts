/** The board of Niekhi. */
import { texts as kamikisen } from "~/i18n/en/boards/kamikisen";

export const texts = {
  ...kamikisen,
  "niekhi.turn": "Turn",
  "niekhi.generals": "Generals to use",
  "niekhi.stairs": "run of {length} sets of {size}",
  "niekhi.strength": "{meld}, strength {strength}",
  "niekhi.pile": "Discard pile",
  "niekhi.takeFrom": "Take from the discard pile",
  "niekhi.removed": "Out of the game",
  "niekhi.named": "Named",
  "niekhi.known": "Known to hold",
  "niekhi.nameOne": "Name strengths",
  "niekhi.decline": "Do not use the generals",
  "niekhi.name": "Name {strengths}",
  "niekhi.take": "Take {cards} from the pile",
  "niekhi.toBeat": "To be beaten: {name}’s {meld}.",
  "niekhi.cleared": "All others have passed; {name} leads.",
  "niekhi.declined": "{name} does not use the generals.",
  "niekhi.hasNamed": "{name} names {strengths}. {lost}.",
  "niekhi.loses": "{name} loses {count}",
  "niekhi.nobodyLoses": "Nobody loses a card",
  "niekhi.took": "{name} takes {cards} from the pile.",
} as const;
