/** The lines with which an author runs a first bot: for this site, what it offers to install, and a bot of the reader's. */
import { useState } from "preact/hooks";
import { bots } from "~/api/bots";
import { type BotAddress, botAddress } from "~/api/bot_address";
import { type Wheel, YOUR_TOKEN, askWheel, firstLines } from "~/api/first_lines";
import { type Session, loadSession } from "~/api/session";
import { t } from "~/i18n";
import { Copyable } from "~/parts/copy";
import { Shown, useLoad } from "~/parts/load";
import { tokenOf, useSecret } from "~/parts/use_secret";

/** What the bot of somebody is called who has none yet. */
const EXAMPLE = "careful";

export default function FirstLines() {
  return (
    <Shown of={useLoad(read)}>{({ wheel, at, who, own }) => <Lines wheel={wheel} at={at} who={who} own={own} />}</Shown>
  );
}

async function read(signal: AbortSignal) {
  const [wheel, at, who] = await Promise.all([askWheel(signal), botAddress(signal), loadSession()]);
  return { wheel, at, who, own: await botsOf(who, signal) };
}

/** The names of the reader's bots. */
async function botsOf(who: Session | null, signal: AbortSignal): Promise<string[]> {
  if (who?.scope === "bot") return [who.bot];
  if (who?.scope !== "author") return [];
  return (await bots.listBots({}, { signal })).bots.map(({ name }) => name);
}

function Lines(props: { wheel: Wheel; at: BotAddress; who: Session | null; own: readonly string[] }) {
  const { wheel, at, who, own } = props;
  const [bot, setBot] = useState(own[0] ?? "");
  const [secret] = useSecret(tokenOf(bot));
  const token = bot === "" || secret === "" ? YOUR_TOKEN : secret;
  return (
    <>
      {own.length > 1 && (
        <label>
          {t("site.enterWhich")}{" "}
          <select
            value={bot}
            onChange={(event) => {
              setBot(event.currentTarget.value);
            }}
          >
            {own.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <Copyable text={firstLines(wheel, at, { bot: bot === "" ? EXAMPLE : bot, token })} label={t("site.enterTitle")} />
      <Token of={bot} shown={token !== YOUR_TOKEN} who={who} />
      {wheel.url === "" && <p class="quiet">{t("site.enterClone")}</p>}
      {!at.sure && <p class="quiet">{t("site.enterGuess")}</p>}
    </>
  );
}

/** Where the token of these lines comes from. */
function Token({ of, shown, who }: { of: string; shown: boolean; who: Session | null }) {
  const token = YOUR_TOKEN;
  if (shown) return <p>{t("site.enterShown", { bot: of })}</p>;
  if (who?.scope === "bot") return <p>{t("site.enterOwnToken", { token, bot: of })}</p>;
  if (of === "") {
    return (
      <p>
        {t("site.enterToken", { token })} <a href="/enter">{t("shell.enter")}</a>
      </p>
    );
  }
  return (
    <p>
      {t("site.enterTokenOf", { token, bot: of })}{" "}
      <a href={`/enter?way=remote&bot=${encodeURIComponent(of)}`}>{t("site.enterMakeToken", { bot: of })}</a>
    </p>
  );
}
