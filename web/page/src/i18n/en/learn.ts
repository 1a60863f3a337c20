/** Learning a game: what stands around the texts of `~/learn`. */
export const texts = {
  "learn.minute": "In a minute",
  "learn.reference": "Reference card",
  "learn.rules": "The whole rules",
  "learn.toReference": "Reference card",
  "learn.faceDown": "{count} cards, face down",
} as const;
