/** 対局とラダーについて、いくつものページで使う文言。 */
import type { texts as english } from "~/i18n/en/common";

export const texts: Record<keyof typeof english, string> = {
  "ladder.overall": "総合",
  "ladder.laddersNone": "まだラダーがありません。",
  "ladder.live": "対局中",
  "ladder.standingsIn": "順位表：{game}",
  "ladder.stateWaiting": "開始前",
  "ladder.statePlaying": "進行中",
  "ladder.stateFinal": "決勝",
  "ladder.statePaused": "休止中",
  "ladder.stateStalled": "停止",
  "ladder.stateClosed": "終了",
  "ladder.stateWaitingMeans": "シーズンはまだ始まっていません。登録はもうできます。",
  "ladder.statePlayingMeans": "対局が行われており、ブロックが終わるたびに順位表が変わります。",
  "ladder.stateFinalMeans": "バージョンは固定され、シーズン最後のブロックを全員が同じ数だけ戦っています。",
  "ladder.statePausedMeans": "主催者が一時的に止めています。何も失われず、ここから再開します。",
  "ladder.stateStalledMeans": "主催者が直さなければならない障害があります。",
  "ladder.stateClosedMeans":
    "すべて終わりました。配札の元になった秘密は公開されており、どの札がどこから来たかを誰でも確かめられます。",
  "match.and": "、",
  "match.comma": "、",
  "match.you": "{name}(あなた)",
  "match.numbered": "{name} #{number}",
  "match.endAborted": "結果なしで終了。",
  "match.endDraw": "引き分け。",
  "match.endWon": "{names}の勝ち。",
  "match.endForfeit": "{name}の途中敗退。",
  "match.boardFailed": "盤面を読み込めませんでした。ページを再読み込みしてください。",
  "match.noBoard": "このゲームの盤面は用意されていません。サービスが送る局面をそのまま示します。",
};
