/** 軟連の盤面。 */
import type { texts as english } from "~/i18n/en/boards/houniek";
import { texts as kamikisen } from "~/i18n/ja/boards/kamikisen";

export const texts: Record<keyof typeof english, string> = {
  ...kamikisen,
  "houniek.cleared": "前のラウンドまでの札",
  "houniek.reading": "読み方",
  "houniek.toBeat": "場の役は{name}の{meld}、{foot}。",
  "houniek.order": "兵<弓<車<虎<馬<筆<巫<将<王<皇。船は皇だけに勝ち、ほかのどれにも負けます。",
  "houniek.leadsRound": "第{round}ラウンドは{name}から。{count}枚引きました。",
  "houniek.askLead": "新しい役を出してください。",
  "houniek.askFollow": "場の役に勝つ役を出すか、パスしてください。",
};
