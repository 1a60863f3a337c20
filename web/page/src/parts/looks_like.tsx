/** The mark beside a name that people take for one of somebody else. */
import { t } from "~/i18n";

export function LooksLike({ other }: { other: string }) {
  return other === "" ? null : <strong class="quiet"> {t("shell.looksLike", { name: other })}</strong>;
}
