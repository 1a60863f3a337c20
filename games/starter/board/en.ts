/** The board of High Card. */

export const texts = {
  "high_card.deal": "Deal",
  "high_card.dealer": "Dealer",
  "high_card.hand": "Your hand",
  "high_card.chosen": "Chosen",
  "high_card.played": "Played, round by round",
  "high_card.scores": "Score",
  "high_card.pass": "pass",
  "high_card.dealt": "Cards are dealt",
  "high_card.received": "New cards",
  "high_card.compared": "Both show",
  "high_card.deal_ended": "The deal is over",
  "high_card.seat": "For",
  "high_card.cards": "Cards",
} as const;
