/** Casual matches: a seat against this bot, where its author allows that; and for its author, the setting. */
import { useLocation } from "preact-iso";
import { useCallback, useState } from "preact/hooks";
import { bots } from "~/api/bots";
import { matches } from "~/api/matches";
import { becomeGuest, loadSession, plays, session } from "~/api/session";
import type { CasualBot } from "~/gen/fudaba/v1/bots_pb";
import { t } from "~/i18n";
import { guestRefused } from "~/parts/guest_refused";
import { CasualSetting } from "~/parts/bot/casual_setting";
import { gameName, gameOf, useGuests } from "~/parts/games";
import { Shown, useLoad } from "~/parts/load";
import { firstSettings, newMatchId, opponentsFor, requestOf } from "~/parts/play/settings";
import { WithSession } from "~/parts/session";

/** `uploaded`: only the arena runs it, so that it cannot be met in a casual match. */
export default function Casual({ bot, uploaded }: { bot: string; uploaded: boolean }) {
  const loaded = useLoad(useCallback((signal: AbortSignal) => bots.listCasualBots({ bot }, { signal }), [bot]));
  const again = () => {
    if (loaded.state !== "loading") loaded.again();
  };
  return (
    <section class="stack" aria-label={t("casual.setting")}>
      <Shown loaded={loaded}>
        {({ bots: [casual] }) =>
          casual === undefined || (uploaded && !casual.present) ? (
            <p class="quiet small">{t(uploaded ? "casual.uploaded" : "casual.closed")}</p>
          ) : (
            <Offer casual={casual} again={again} />
          )
        }
      </Shown>
      <WithSession>{(me) => (me?.scope === "author" ? <CasualSetting bot={bot} changed={again} /> : null)}</WithSession>
    </section>
  );
}

function Offer({ casual, again }: { casual: CasualBot; again: () => void }) {
  const { bot } = casual;
  const guests = useGuests();
  const me = session.value;
  if (!casual.present) {
    return (
      <p class="row">
        {t("casual.absent", { bot })}
        <button type="button" class="small" onClick={again}>
          {t("casual.again")}
        </button>
      </p>
    );
  }
  if (me && !plays(me)) return <p class="quiet">{t("casual.notAPlayer")}</p>;
  if (!me && guests.state === "there" && !guests.value) {
    return (
      <p>
        {t("casual.noGuests")} <a href="/account">{t("shell.signIn")}</a>
      </p>
    );
  }
  return <Seats casual={casual} />;
}

/** A button for each game: one click to a seat, as who is signed in or as a new guest. */
function Seats({ casual }: { casual: CasualBot }) {
  const { bot } = casual;
  const { route } = useLocation();
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState("");
  const sit = async (id: string) => {
    const game = gameOf(id);
    if (game === undefined) return;
    setBusy(true);
    setFailed("");
    try {
      if ((await loadSession()) === null) await becomeGuest();
      const matchId = newMatchId(session.value?.bot ?? "");
      const settings = { ...firstSettings(game), opponents: opponentsFor(game, [bot], game.minSeats) };
      await matches.createMatch(requestOf(settings, game, matchId));
      route(`/play?match=${encodeURIComponent(matchId)}`);
    } catch (error) {
      setBusy(false);
      setFailed(await guestRefused(error));
    }
  };
  return (
    <div class="notice">
      <p>{t("casual.offer", { bot })}</p>
      <p class="row">
        {(casual.casualPlay?.games ?? []).map((id) => (
          <button
            key={id}
            type="button"
            class="main"
            aria-disabled={busy}
            onClick={() => {
              if (!busy) void sit(id);
            }}
          >
            {t("casual.play", { game: gameName(id) })}
          </button>
        ))}
      </p>
      {failed !== "" && <p role="alert">{failed}</p>}
    </div>
  );
}
