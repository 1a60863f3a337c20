/** 行戦の盤面。 */
import type { texts as english } from "~/i18n/en/boards/mokkaik";
import { texts as kamikisen } from "~/i18n/ja/boards/kamikisen";

export const texts: Record<keyof typeof english, string> = {
  ...kamikisen,
  "mokkaik.wanted": "{name}から始まりました。続けて出せるのは{meld}({colours})、{strength}より強い役です。",
  "mokkaik.reds": "赤{count}",
  "mokkaik.blacks": "黒{count}",
  "mokkaik.public": "公開札",
  "mokkaik.discarded": "捨てた",
  "mokkaik.discardCount": "捨て札",
  "mokkaik.publicCards": "公開札",
  "mokkaik.beatenCards": "負けた役の札",
  "mokkaik.ownDiscards": "自分の捨て札",
  "mokkaik.sayDiscard": "伏せて捨てる",
  "mokkaik.discard": "捨てる:{cards}",
  "mokkaik.bestIs": "このラウンドで最も強いのは{name}の{meld}、強さは{strength}。",
  "mokkaik.leadsRound": "{name}から出します。",
  "mokkaik.hasDiscarded": "{name}は{count}枚を伏せて捨てました。",
  "mokkaik.roundWon": "{name}がラウンドに勝ち、公開札にしました:{cards}。",
  "mokkaik.askLead": "ラウンドを始める役を出してください。",
  "mokkaik.askFollow": "より強い役を出すか、札を{count}枚捨ててください。",
  "mokkaik.askDiscard": "出せる役がありません。札を{count}枚捨ててください。",
};
