import { t } from "~/i18n";
import { useTitle } from "~/parts/title";

/** The path leads nowhere. */
export default function Missing() {
  useTitle(t("shell.missingTitle"));
  return (
    <>
      <h1>{t("shell.missingTitle")}</h1>
      <p>{t("late.missingHint")}</p>
      <p>
        <a class="button" href="/">
          {t("shell.toStart")}
        </a>
      </p>
    </>
  );
}
