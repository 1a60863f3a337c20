/** 時間がかかるときに、何を待っているか。また、行き先のないアドレスの案内。 */
import type { texts as english } from "~/i18n/en/late";

export const texts: Record<keyof typeof english, string> = {
  "late.service": "サービスからまだ応答がありません。自動的に問い合わせ直しています。",
  "late.page": "ページの一部をまだ受信しています。",
  "late.guestsFull":
    "お使いのネットワークからのゲストは、1 時間の上限に達しました。サインインするか、後でもう一度試してください。",
  "late.missingTitle": "ページがありません",
  "late.missingHint": "移動したか、アドレスが間違っているようです。トップページからすべてのページに行けます。",
};
