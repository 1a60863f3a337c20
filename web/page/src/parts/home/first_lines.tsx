/** The lines with which an author runs a first bot, built from this site's address and what it offers to install. */
import { botAddress } from "~/api/bot_address";
import { YOUR_TOKEN, askWheel, firstLines } from "~/api/first_lines";
import { t } from "~/i18n";
import { Copyable } from "~/parts/copy";
import { Shown, useLoad } from "~/parts/load";

const load = (signal: AbortSignal) => Promise.all([askWheel(signal), botAddress(signal)]);

export default function FirstLines() {
  return (
    <Shown of={useLoad(load)}>
      {([wheel, at]) => (
        <>
          <Copyable text={firstLines(wheel, at)} label={t("site.enterTitle")} />
          <p>{t("site.enterToken", { token: YOUR_TOKEN })}</p>
          {wheel.url === "" && <p class="quiet">{t("site.enterClone")}</p>}
          {!at.sure && <p class="quiet">{t("site.enterGuess")}</p>}
        </>
      )}
    </Shown>
  );
}
