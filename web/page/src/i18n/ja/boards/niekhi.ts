/** 連友の盤面。 */
import type { texts as english } from "~/i18n/en/boards/niekhi";
import { texts as kamikisen } from "~/i18n/ja/boards/kamikisen";

export const texts: Record<keyof typeof english, string> = {
  ...kamikisen,
  "niekhi.turn": "手番",
  "niekhi.generals": "使える将",
  "niekhi.stairs": "連番のセット({size}枚の友が{length})",
  "niekhi.strength": "{meld}、強さ{strength}",
  "niekhi.pile": "捨て札",
  "niekhi.takeFrom": "捨て札から取る",
  "niekhi.removed": "除外された札",
  "niekhi.named": "宣言された強さ",
  "niekhi.known": "持っていると分かる札",
  "niekhi.nameOne": "強さを宣言",
  "niekhi.decline": "将を使わない",
  "niekhi.name": "宣言する:{strengths}",
  "niekhi.take": "捨て札から取る:{cards}",
  "niekhi.toBeat": "場の役は{name}の{meld}。",
  "niekhi.cleared": "ほかの全員がパスしました。{name}が新しい役を出します。",
  "niekhi.declined": "{name}は将を使いません。",
  "niekhi.hasNamed": "{name}の宣言:{strengths}。{lost}。",
  "niekhi.loses": "{name}は{count}枚を失いました",
  "niekhi.nobodyLoses": "手札を失った人はいません",
  "niekhi.took": "{name}が捨て札から取りました:{cards}。",
  "niekhi.askName": "除外する強さを宣言できます(将{count}枚)。",
  "niekhi.askTake": "捨て札から取れます(将{count}枚)。",
  "niekhi.askDecline": "将を使えません。「将を使わない」を選んでください。",
  "niekhi.askLead": "新しい役を出してください。",
  "niekhi.askFollow": "場の役に勝つ役を出すか、パスしてください。",
};
