/** What stands in the place of the ladders where there is none: for an organiser, the way to the first one. */
import { t } from "~/i18n";
import { Nothing } from "~/parts/load";
import FirstLadder from "~/parts/organiser/first_ladder";
import { WithSession } from "~/parts/session";

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
