/** トランプと、その盤面に共通の文言。 */
import type { texts as english } from "~/i18n/en/boards/french";

export const texts: Record<keyof typeof english, string> = {
  "french.clubs": "クラブ",
  "french.diamonds": "ダイヤ",
  "french.hearts": "ハート",
  "french.spades": "スペード",
  "french.ace": "A",
  "french.jack": "J",
  "french.queen": "Q",
  "french.king": "K",
  "french.card": "{suit}の{rank}",
  "french.joker": "ジョーカー{which}",
};
