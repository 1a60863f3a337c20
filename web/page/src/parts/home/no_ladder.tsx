/** What stands in the place of the ladders where there is none: for an organiser, the way to the first one. */
import { lazy } from "preact-iso";
import { loadTexts, t } from "~/i18n";
import { Nothing } from "~/parts/load";
import { WithSession } from "~/parts/session";

/** Loaded by organisers only. */
const FirstLadder = lazy(async () => {
  return (await Promise.all([import("~/parts/organiser/first_ladder"), loadTexts("enter")]))[0];
});

export default function NoLadder() {
  return (
    <WithSession>
      {(me) =>
        me?.scope === "organiser" ? (
          <FirstLadder />
        ) : (
          <>
            <Nothing>{t("begin.noLadderYet")}</Nothing>
            {me === null && (
              <p class="small">
                <a href="/organiser">{t("begin.asOrganiser")}</a>
              </p>
            )}
          </>
        )
      }
    </WithSession>
  );
}
