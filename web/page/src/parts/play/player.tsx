/** Who plays: asks for a session where there is none. */
import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Session, becomeGuest, plays } from "~/api/session";
import { t } from "~/i18n";
import { useGuests } from "~/parts/games";
import { guestRefused } from "~/parts/guest_refused";
import { Shown } from "~/parts/load";
import { WithSession } from "~/parts/session";

/** Shows its content to somebody who can play; everybody else is offered to play as a guest, where there are guests, or to sign in. */
export function Player({ children }: { children: (me: Session) => ComponentChildren }) {
  return (
    <WithSession>
      {(me) => (me !== null && plays(me) ? children(me) : <Entrances signedIn={me !== null} />)}
    </WithSession>
  );
}

function Entrances({ signedIn }: { signedIn: boolean }) {
  return (
    <Shown loaded={useGuests()}>
      {(guests) => (guests ? <AsGuest signedIn={signedIn} /> : <WithToken signedIn={signedIn} />)}
    </Shown>
  );
}

/** Where there are no guests: which token plays, and where to get it. */
function WithToken({ signedIn }: { signedIn: boolean }) {
  return (
    <section class="play-entrance">
      <p>{t(signedIn ? "play.accountsDoNotPlayHere" : "play.noGuests")}</p>
      {signedIn && (
        <a class="button main" href="/enter">
          {t("shell.enter")}
        </a>
      )}
      <a class={signedIn ? "button" : "button main"} href="/account">
        {t(signedIn ? "shell.account" : "shell.signIn")}
      </a>
    </section>
  );
}

function AsGuest({ signedIn }: { signedIn: boolean }) {
  const [failed, setFailed] = useState("");
  const [busy, setBusy] = useState(false);
  const enter = () => {
    if (busy) return;
    setBusy(true);
    setFailed("");
    becomeGuest().catch(async (error: unknown) => {
      setBusy(false);
      setFailed(await guestRefused(error));
    });
  };
  return (
    <section class="play-entrance">
      <p>{t(signedIn ? "play.accountsDoNotPlay" : "play.whoPlays")}</p>
      <button type="button" class="main" aria-disabled={busy} onClick={enter}>
        {t("play.asGuest")}
      </button>
      {!signedIn && (
        <a class="button" href="/account">
          {t("shell.signIn")}
        </a>
      )}
      {failed !== "" && <p role="alert">{failed}</p>}
    </section>
  );
}
