/** Who plays: asks for a session where there is none. */
import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Session, becomeGuest, plays } from "~/api/session";
import { inWords } from "~/api/errors";
import { t } from "~/i18n";
import { WithSession } from "~/parts/session";

/** Shows its content to somebody who can play; everybody else is offered to play as a guest, or to sign in. */
export function Player({ children }: { children: (me: Session) => ComponentChildren }) {
  return (
    <WithSession>{(me) => (me !== null && plays(me) ? children(me) : <Entrance signedIn={me !== null} />)}</WithSession>
  );
}

function Entrance({ signedIn }: { signedIn: boolean }) {
  const [failed, setFailed] = useState("");
  const [busy, setBusy] = useState(false);
  const enter = () => {
    setBusy(true);
    becomeGuest().catch((error: unknown) => {
      setBusy(false);
      setFailed(inWords(error));
    });
  };
  return (
    <section class="play-entrance">
      <p>{t(signedIn ? "play.accountsDoNotPlay" : "play.whoPlays")}</p>
      <button type="button" class="main" disabled={busy} onClick={enter}>
        {t("play.asGuest")}
      </button>
      {!signedIn && <a href="/account">{t("shell.signIn")}</a>}
      {failed !== "" && <p role="alert">{failed}</p>}
    </section>
  );
}
