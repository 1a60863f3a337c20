/** Learning a game: what stands around the texts of `~/learn`. */
export const texts = {
  "learn.minute": "In a minute",
  "learn.reference": "Reference card",
  "learn.rules": "The whole rules",
  "learn.faceDown": "{count} {count|card|cards}, face down",
  "learn.deal": "A first deal, step by step",
  "learn.leave": "Leave this deal",
  "learn.step": "Decision {at} of {count}",
  "learn.opponent": "Player {number}",
  "learn.play": "Play: {move}",
  "learn.playSensible": "Go on with: {move}",
  "learn.other": "That is allowed, too: {move}. This deal goes on with: {best}.",
  "learn.real": "Play a match of your own",
  "learn.again": "From the beginning",
} as const;
