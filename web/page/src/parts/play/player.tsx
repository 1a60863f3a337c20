/** Who plays: asks for a session where there is none. */
import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { inWords } from "~/api/errors";
import type { Token } from "~/gen/fudaba/v1/accounts_pb";
import { t } from "~/i18n";
import { useCall } from "~/parts/match/call";
import { becomeGuest, plays, whoAmI } from "~/parts/play/me";

/** Shows its content to somebody who can play; everybody else is offered to play as a guest, or to sign in. */
export function Player({ children }: { children: (me: Token) => ComponentChildren }) {
    const [called, again] = useCall(whoAmI);
    if (called.state === "waiting") return <p class="match-quiet">{t("shell.loading")}</p>;
    if (called.state === "failed") {
        return (
            <p role="alert">
                {inWords(called.error)}{" "}
                <button type="button" onClick={again}>
                    {t("shell.again")}
                </button>
            </p>
        );
    }
    const me = called.value;
    if (me !== undefined && plays(me)) return <>{children(me)}</>;
    return <Entrance signedIn={me !== undefined} entered={again} />;
}

function Entrance({ signedIn, entered }: { signedIn: boolean; entered: () => void }) {
    const [failed, setFailed] = useState("");
    const [busy, setBusy] = useState(false);
    const enter = () => {
        setBusy(true);
        becomeGuest().then(entered, (error: unknown) => {
            setBusy(false);
            setFailed(inWords(error));
        });
    };
    return (
        <section class="play-entrance">
            <p>{t(signedIn ? "play.accountsDoNotPlay" : "play.whoPlays")}</p>
            <button type="button" class="play-go" disabled={busy} onClick={enter}>
                {t("play.asGuest")}
            </button>
            {!signedIn && <a href="/account">{t("shell.signIn")}</a>}
            {failed !== "" && <p role="alert">{failed}</p>}
        </section>
    );
}
