import { t } from "~/i18n";
import { useTitle } from "~/parts/title";

/** The path leads nowhere. */
export default function Missing() {
  useTitle(t("late.missingTitle"));
  return (
    <>
      <h1>{t("late.missingTitle")}</h1>
      <p>{t("late.missingHint")}</p>
      <p>
        <a class="button" href="/">
          {t("shell.toStart")}
        </a>
      </p>
    </>
  );
}
