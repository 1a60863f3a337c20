/** 値木の盤面。 */
import type { texts as english } from "~/i18n/en/boards/makhop";
import { texts as kamikisen } from "~/i18n/ja/boards/kamikisen";

export const texts: Record<keyof typeof english, string> = {
  ...kamikisen,
  "makhop.turn": "手番",
  "makhop.idle": "何も起きなかった手番",
  "makhop.shuffles": "作り直した山札",
  "makhop.road": "道{road}",
  "makhop.roadLabel": "道{road}、端は{card}、{count}枚",
  "makhop.wants": "合計{value}",
  "makhop.wantsAny": "数の札を一枚",
  "makhop.noRoads": "道はありません。",
  "makhop.roads": "道の初めからの札",
  "makhop.vanished": "消えた札",
  "makhop.stockCards": "山札にある札",
  "makhop.sayOpen": "道を増やす",
  "makhop.newEnd": "新しい端",
  "makhop.open": "道を増やす",
  "makhop.extend": "道{road}に出す:{cards}",
  "makhop.join": "道{road}と道{other}を統合する:{cards}",
  "makhop.clear": "{card}で道を消し去る",
  "makhop.ending": "{cards}、新しい端は{end}",
  "makhop.turned": "道の始まり:{card}。",
  "makhop.reshuffled": "消えた{count}枚が山札に戻りました。",
  "makhop.opened": "{name}が道を増やしました:{card}。",
  "makhop.openedNothing": "{name}が道を増やそうとしましたが、何も起きません。",
  "makhop.extended": "{name}が道{road}に出しました:{cards}。",
  "makhop.joined": "{name}が道{road}と道{other}を統合しました:{cards}。",
  "makhop.cleared": "{name}が{card}で道を消し去りました。",
};
