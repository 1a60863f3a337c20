/** 値戦の盤面。 */
import type { texts as english } from "~/i18n/en/boards/makkaik";
import { texts as kamikisen } from "~/i18n/ja/boards/kamikisen";

export const texts: Record<keyof typeof english, string> = {
  ...kamikisen,
  "makkaik.phase": "現在",
  "makkaik.exchange": "札の交換",
  "makkaik.keeping": "引いた二枚から一枚を選ぶ",
  "makkaik.roundOf": "賭け、{rounds}ラウンド中の{round}",
  "makkaik.over": "終了",
  "makkaik.base": "基準点",
  "makkaik.publicCards": "公開札",
  "makkaik.drawn": "引いた札(一枚を残す)",
  "makkaik.swapped": "公開札と交換、取った札",
  "makkaik.hasDrawn": "二枚引いた",
  "makkaik.sayDraw": "二枚引く",
  "makkaik.sayStay": "参加({base}点)",
  "makkaik.bases": "参加、基準点は",
  "makkaik.swap": "{given}を公開札の{taken}と交換",
  "makkaik.draw": "山札から二枚引く",
  "makkaik.keep": "{kept}を残し、{given}を出す",
  "makkaik.stay": "参加して基準点を払う",
  "makkaik.stayWith": "基準点{base}で参加",
  "makkaik.dealt": "第{deal}季節。親は{name}。公開札:{cards}。",
  "makkaik.swappedFor": "{name}が{given}を{taken}と交換しました。",
  "makkaik.drewTwo": "{name}が二枚引きました。",
  "makkaik.saw": "{name}が引いた札:{cards}。",
  "makkaik.kept": "{name}が一枚を残しました。公開札になった札:{cards}。",
  "makkaik.betting": "全員が1点を払い、場は{pot}点。",
  "makkaik.baseNamed": "{name}が基準点を{base}にしました。",
  "makkaik.stayed": "{name}が{base}点で参加。",
};
