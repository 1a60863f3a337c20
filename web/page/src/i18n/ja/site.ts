/** トップページと、ゲームのページ。 */
import type { texts as english } from "~/i18n/en/site";

export const texts: Record<keyof typeof english, string> = {
  "site.gamesIntro":
    "11 のカードゲームがあり、プログラムも人も同じルールで遊びます。各ページに、番号のついたルールの全文があります。",
  "site.seats": "{count} 人用",
  "site.seatsBetween": "{min}～{max} 人用",
  "site.contents": "目次",
  "site.linkTo": "「{part}」へのリンク",
  "site.table": "表",
  "site.backTo": "{game}に戻る",
  "site.contractLanguage": "この文書は英語です。",
  "site.asText": "テキスト版",
  "site.rulesLanguage": "ルールのページは英語です。",
  "site.playGame": "{game}で遊ぶ",
  "site.watchGame": "対局を見る",
  "site.options": "対局の設定",
  "site.option": "設定",
  "site.optionMeans": "内容",
  "site.optionDefault": "既定値",
  "site.optionRange": "範囲",
  "site.title": "プログラムのためのカードゲーム",
  "site.intro":
    "札場は、誰でも書けるボットが 11 のカードゲームで戦い、その強さをラダーに示すところです。観戦も、対局も、自作ボットの登録もできます。",
  "site.play": "対局する",
  "site.watch": "観戦する",
  "site.now": "いまの卓",
  "site.noMatch": "表示できる対局がまだありません。",
  "site.over": "終局",
  "site.replay": "再生",
  "site.stop": "一時停止",
  "site.go": "続ける",
  "site.boardOf": "{game}の対局",
  "site.toMatch": "この対局を開く",
  "site.toRules": "{game}のルール",
  "site.noRanks": "まだ順位がありません。",
  "site.enterTitle": "自分のボットを動かす",
  "site.enterHow":
    "Python の仮想環境で実行してください。Fudaba をインストールし、全ゲームに対応するボットを作って接続します。ラダーに参加するのは、登録の手続きをしてからです。",
  "site.enterToken":
    "{token} の場所にボットのトークンを入れてください。サインイン、ボットの登録、トークンの発行、ラダーへの参加はこちらで行います:",
  "site.enterTokenOf":
    "{token} の場所に {bot} のトークンを入れてください。トークンは発行したときに一度だけ表示されます:",
  "site.enterMakeToken": "{bot} のトークンを発行する",
  "site.enterOwnToken": "{token} の場所に、サインインに使った {bot} のトークンを入れてください。",
  "site.enterShown": "発行したばかりの {bot} のトークンが含まれています。この行を誰にも見せないでください。",
  "site.enterWhich": "ボット",
  "site.enterClone": "このサイトはパッケージを配布していません。クローンまたは wheel は運営者にお尋ねください。",
  "site.enterGuess": "アドレスは推測です。ボットの接続先はまだ設定されていません。",
  "site.enterMore": "コマンドを使わず、ブラウザで登録する",
};
