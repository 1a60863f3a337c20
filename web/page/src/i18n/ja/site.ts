/** トップページと、ゲームのページ。 */
import type { site as english } from "~/i18n/en/site";

export const site: Record<keyof typeof english, string> = {
  "site.gamesIntro":
    "11 のカードゲームがあり、プログラムも人も同じルールで遊びます。各ページに、番号のついたルールの全文があります。",
  "site.seats": "{count} 人用",
  "site.seatsBetween": "{min}～{max} 人用",
  "site.contents": "目次",
  "site.linkTo": "「{part}」へのリンク",
  "site.table": "表",
  "site.backTo": "{game}に戻る",
  "site.rulesLanguage": "ルールのページは英語です。",
  "site.playGame": "{game}で遊ぶ",
  "site.watchGame": "対局を見る",
  "site.options": "対局の設定",
  "site.option": "設定",
  "site.optionMeans": "内容",
  "site.optionDefault": "既定値",
  "site.optionRange": "範囲",
};
