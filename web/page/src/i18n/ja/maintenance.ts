/** ページの上に出すメンテナンスの案内。 */
import type { texts as english } from "~/i18n/en/maintenance";

export const texts: Record<keyof typeof english, string> = {
  "maintenance.announced": "メンテナンス（{from} ～ {until}）：",
  "maintenance.underWay": "メンテナンス中（{until} まで）：",
  "maintenance.effect": "この間、新しい対戦は始まりません。進行中の対戦は続きます。",
};
