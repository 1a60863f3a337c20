/** ゲームの覚え方。本文は `~/learn` にある。 */
import type { texts as english } from "~/i18n/en/learn";

export const texts: Record<keyof typeof english, string> = {
  "learn.minute": "一分でわかる遊び方",
  "learn.reference": "早見表",
  "learn.rules": "ルール全文",
  "learn.toReference": "早見表",
  "learn.faceDown": "裏向きの札 {count} 枚",
};
