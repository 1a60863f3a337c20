/** 開樽の盤面。 */
import type { texts as english } from "~/i18n/en/boards/namto";
import { texts as kamikisen } from "~/i18n/ja/boards/kamikisen";

export const texts: Record<keyof typeof english, string> = {
  ...kamikisen,
  "namto.roundOf": "{round} / {rounds}",
  "namto.bets": "賭けられる点",
  "namto.betRange": "{least}から{most}",
  "namto.highest": "最高の賭け",
  "namto.shared": "共通の札",
  "namto.noneShared": "共通の札はまだ公開されていません。",
  "namto.stack": "点棒",
  "namto.bet": "賭け",
  "namto.sitsOut": "不参加",
  "namto.sayBet": "加行(足し合わせる)",
  "namto.sayCall": "差額を払う",
  "namto.makeBet": "加行 {points}点",
  "namto.makeCall": "不足の点を払う",
  "namto.dealt": "第{deal}季節。親は{name}。場は{pot}点。",
  "namto.hasBet": "{name}の加行、{points}点。",
  "namto.called": "{name}が不足の{points}点を払いました。",
  "namto.opened": "共通の札の公開:{card}。",
  "namto.single": "一枚",
  "namto.set": "友",
  "namto.run": "連",
  "namto.darkGathering": "闇戦之集",
  "namto.going": "行行",
  "namto.horseBowSoldier": "馬弓兵",
  "namto.earthHeart": "地心",
  "namto.emperorKing": "皇王",
  "namto.levelBrush": "筆兵無傾",
};
