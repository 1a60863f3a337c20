/** どのページにもあるもの。 */
import type { shell as english } from "~/i18n/en/shell";

export const shell: Record<keyof typeof english, string> = {
  "shell.skip": "本文へ",
  "shell.ladders": "ラダー",
  "shell.matches": "対局",
  "shell.games": "ゲーム",
  "shell.play": "遊ぶ",
  "shell.enter": "ボットを登録",
  "shell.account": "アカウント",
  "shell.signIn": "サインイン",
  "shell.language": "言語",
  "shell.loading": "読み込み中…",
  "shell.missing": "ページがありません。",
  "shell.again": "もう一度",
};
