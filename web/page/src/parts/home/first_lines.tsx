/** The lines with which an author runs a first bot: for this site, what it offers to install, and a bot of the reader's. */
import { useState } from "preact/hooks";
import { type BotAddress, botAddress } from "~/api/bot_address";
import { type Wheel, YOUR_TOKEN, askWheel, firstLines } from "~/api/first_lines";
import { type Session, loadSession } from "~/api/session";
import { bots } from "~/api/start_page";
import { t } from "~/i18n";
import { Copyable } from "~/parts/copy";
import { Shown, useLoad } from "~/parts/load";
import { tokenOf, useSecret } from "~/parts/use_secret";

/** What the bot of somebody is called who has none yet. */
const EXAMPLE = "careful";

export default function FirstLines() {
  return (
    <Shown loaded={useLoad(read)}>
      {({ wheel, at, session, own }) => <Lines wheel={wheel} at={at} session={session} own={own} />}
    </Shown>
  );
}

async function read(signal: AbortSignal) {
  const [wheel, at, session] = await Promise.all([askWheel(signal), botAddress(signal), loadSession()]);
  return { wheel, at, session, own: await botsOf(session, signal) };
}

/** The names of the reader's bots. */
async function botsOf(session: Session | null, signal: AbortSignal): Promise<string[]> {
  if (session?.scope === "bot") return [session.bot];
  if (session?.scope !== "author") return [];
  return (await bots.listBots({}, { signal })).bots.map(({ name }) => name);
}

function Lines(props: { wheel: Wheel; at: BotAddress; session: Session | null; own: readonly string[] }) {
  const { wheel, at, session, own } = props;
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
      <Token bot={bot} shown={token !== YOUR_TOKEN} session={session} />
      {wheel.url === "" && <p class="quiet">{t("site.enterClone")}</p>}
      {!at.sure && <p class="quiet">{t("site.enterGuess")}</p>}
    </>
  );
}

/** Where the token of these lines comes from. */
function Token({ bot, shown, session }: { bot: string; shown: boolean; session: Session | null }) {
  const token = YOUR_TOKEN;
  if (shown) return <p>{t("site.enterShown", { bot })}</p>;
  if (session?.scope === "bot") return <p>{t("site.enterOwnToken", { token, bot })}</p>;
  if (bot === "") {
    return (
      <p>
        {t("site.enterToken", { token })} <a href="/enter">{t("shell.enter")}</a>
      </p>
    );
  }
  return (
    <p>
      {t("site.enterTokenOf", { token, bot })}{" "}
      <a href={`/enter?way=remote&bot=${encodeURIComponent(bot)}`}>{t("site.enterMakeToken", { bot })}</a>
    </p>
  );
}
