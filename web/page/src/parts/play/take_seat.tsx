/** Taking a seat in somebody's match: by an invitation, or one that is open to everybody. */
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { matches } from "~/api/matches";
import { reasonOf } from "~/api/reasons";
import type { JoinMatchRequest } from "~/gen/fudaba/v1/matches_pb";
import { t } from "~/i18n";
import { Failed } from "~/parts/load";
import { Player } from "~/parts/play/player";
import "~/parts/play/play.css";

/** By what a seat is taken: an invitation code, or the match's id. */
export type By = Exclude<JoinMatchRequest["by"], { case: undefined }>;

/** Asks for a session only here: whoever looks at an invitation has not used up a guest. */
export function TakeSeat({ by }: { by: By }) {
  return <Player>{({ bot }) => <Take by={by} name={bot} />}</Player>;
}

function Take({ by, name }: { by: By; name: string }) {
  const { route } = useLocation();
  const [failed, setFailed] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const take = async () => {
    setBusy(true);
    setFailed(undefined);
    try {
      const { match } = await matches.joinMatch({ by });
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
      {by.case === "invitationCode" && reasonOf(failed) === "INVITATION_NOT_FOUND" && <OtherUse code={by.value} />}
    </>
  );
}

/** A code that has no seat may be one for an account. */
export function OtherUse({ code }: { code: string }) {
  return (
    <p>
      <a href={`/enter?invitation=${encodeURIComponent(code)}`}>{t("play.joinOther")}</a>
    </p>
  );
}
