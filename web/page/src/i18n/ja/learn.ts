/** ゲームの覚え方。本文は `~/learn` にある。 */
import type { texts as english } from "~/i18n/en/learn";

export const texts: Record<keyof typeof english, string> = {
  "learn.minute": "一分でわかる遊び方",
  "learn.reference": "早見表",
  "learn.rules": "ルール全文",
  "learn.faceDown": "裏向きの札 {count} 枚",
  "learn.deal": "はじめての一局(案内つき)",
  "learn.leave": "案内を終える",
  "learn.step": "{count} 回の判断のうち {at} 回目",
  "learn.opponent": "プレイヤー {number}",
  "learn.play": "指す: {move}",
  "learn.playSensible": "この手で進む: {move}",
  "learn.other": "それも指せます: {move}。ここでは次の手で進みます: {best}。",
  "learn.real": "自分で対局する",
  "learn.again": "最初から",
};
