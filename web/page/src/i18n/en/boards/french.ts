/** French cards and what their boards have in common. */
export const texts = {
  "french.clubs": "clubs",
  "french.diamonds": "diamonds",
  "french.hearts": "hearts",
  "french.spades": "spades",
  "french.ace": "ace",
  "french.jack": "jack",
  "french.queen": "queen",
  "french.king": "king",
  "french.card": "{rank} of {suit}",
  "french.joker": "joker {which}",
} as const;
