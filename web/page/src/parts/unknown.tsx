/** What stands where an address asks for something that there is not. */
import { t } from "~/i18n";

/** The address asks for something that there is not: nothing is shown, rather than something else. */
export function Unknown({ text }: { text: string }) {
  return (
    <p class="notice bad" role="alert">
      {t("shell.unknown", { text })}
    </p>
  );
}
