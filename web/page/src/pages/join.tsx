/** Where an invitation link leads: a seat in somebody's match. */
import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { matches } from "~/api/matches";
import { reasonOf } from "~/api/reasons";
import { t } from "~/i18n";
import { Failed } from "~/parts/load";
import { Player } from "~/parts/play/player";
import { useTitle } from "~/parts/title";
import "~/parts/match/match.css";
import "~/parts/play/play.css";

export default function Join() {
  useTitle(t("play.joinTitle"));
  const code = useRoute().params.code ?? "";
  return (
    <>
      <h1>{t("play.joinTitle")}</h1>
      <p>{t("play.joinExplained")}</p>
      <Player>{({ bot }) => <Take code={code} name={bot} />}</Player>
    </>
  );
}

function Take({ code, name }: { code: string; name: string }) {
  const { route } = useLocation();
  const [failed, setFailed] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const take = async () => {
    setBusy(true);
    try {
      const { match } = await matches.joinMatch({ by: { case: "invitationCode", value: code } });
      route(`/play?match=${encodeURIComponent(match?.header?.matchId ?? "")}`);
    } catch (error) {
      setFailed(error);
      setBusy(false);
    }
  };
  return (
    <>
      <button type="button" class="main" disabled={busy} onClick={() => void take()}>
        {t("play.join", { name })}
      </button>
      {failed !== undefined && <Failed error={failed} />}
      {reasonOf(failed) === "INVITATION_NOT_FOUND" && (
        <p>
          <a href={`/enter?invitation=${encodeURIComponent(code)}`}>{t("play.joinOther")}</a>
        </p>
      )}
    </>
  );
}
