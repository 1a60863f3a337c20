/** A bot that its author runs: a token for a version, and what to type with it. */
import { useCallback, useState } from "preact/hooks";
import { bots } from "~/api/bots";
import { type BotAddress, botAddress, runCommand } from "~/api/bot_address";
import type { Bot } from "~/gen/fudaba/v1/bots_pb";
import { t } from "~/i18n";
import { Copyable } from "~/parts/copy";
import { Act } from "~/parts/enter/act";
import { useLoad } from "~/parts/load";
import { Secret } from "~/parts/secret";
import { tokenOf, useSecret } from "~/parts/use_secret";

export function Remote({ bot, versions, made }: { bot: string; versions: Bot | undefined; made: () => void }) {
  const labels = (versions?.versions ?? []).map((version) => version.label);
  const [version, setVersion] = useState(labels[labels.length - 1] ?? "");
  const [token, setToken] = useSecret(tokenOf(bot));
  const asked = useLoad(useCallback((signal: AbortSignal) => botAddress(signal), []));
  // A guess is better than nothing, and says what it is.
  const guess: BotAddress = { address: `${location.hostname}:7710`, tls: false, sure: false };
  const at = asked.state === "there" ? asked.value : guess;
  return (
    <div class="form">
      <p>{t("enter.remoteIntro")}</p>
      <label>
        {t("enter.version")}{" "}
        <select
          value={version}
          onChange={(event) => {
            setVersion(event.currentTarget.value);
          }}
        >
          {labels.map((label) => (
            <option key={label}>{label}</option>
          ))}
        </select>
      </label>
      <Act
        class="main"
        act={async () => {
          setToken((await bots.createToken({ bot, version, label: t("account.newTokenLabel") })).token);
        }}
        done={made}
      >
        {t("enter.makeToken")}
      </Act>
      {token !== "" && (
        <Secret
          key={token}
          kept={() => {
            setToken("");
          }}
        >
          <Copyable label={t("enter.command")} text={runCommand(token, at)} />
          {!at.sure && <p class="quiet">{t("enter.serverHint")}</p>}
        </Secret>
      )}
    </div>
  );
}
