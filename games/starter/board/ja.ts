/** High Cardの盤面。 */
import type { texts as english } from "~/i18n/en/boards/high_card";

export const texts: Record<keyof typeof english, string> = {
  "high_card.deal": "ディール",
  "high_card.dealer": "親",
  "high_card.hand": "手札",
  "high_card.chosen": "選んだ札",
  "high_card.played": "ラウンドごとの札",
  "high_card.scores": "得点",
  "high_card.pass": "パス",
  "high_card.dealt": "札を配りました",
  "high_card.received": "引いた札",
  "high_card.compared": "札を公開",
  "high_card.deal_ended": "ディール終了",
  "high_card.seat": "席",
  "high_card.cards": "札",
};
