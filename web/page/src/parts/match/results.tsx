/** Whether lists of matches tell how those ended; whoever wants to watch a match first does not want to know. */
import { signal } from "@preact/signals";
import { t } from "~/i18n";
import { keep, kept } from "~/kept";

const NAME = "show-results";

/** What the reader chose here, now or an earlier time. */
export const resultsShown = signal(kept("browser", NAME) === "true");

/** The switch. */
export function ShowResults() {
  return (
    <label class="row match-results">
      <input
        type="checkbox"
        checked={resultsShown.value}
        onChange={(event) => {
          resultsShown.value = event.currentTarget.checked;
          keep("browser", NAME, String(resultsShown.value));
        }}
      />{" "}
      {t("shell.showResults")}
    </label>
  );
}
