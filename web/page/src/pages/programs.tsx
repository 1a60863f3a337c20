/** The contract, for those who write a bot or a client in any language. */
import { READ_MS, inTime } from "~/api/deadlines";
import { language, t } from "~/i18n";
import { Shown, useLoad } from "~/parts/load";
import { RulePage } from "~/parts/rules/page";
import { useTitle } from "~/parts/title";

const FILE = "/contract/contract.md";
const BUNDLE = "/contract/fudaba-contract.zip";

async function load(signal: AbortSignal): Promise<string> {
  const answer = await inTime(READ_MS, (ends) => fetch(FILE, { signal: ends }), signal);
  if (!answer.ok) throw new Error(`${FILE}: ${answer.status} ${answer.statusText}`);
  return await answer.text();
}

export default function Programs() {
  useTitle(t("shell.contract"));
  return (
    <Shown loaded={useLoad(load)}>
      {(text) => (
        <>
          {language.value === "ja" && <p class="quiet small">{t("site.contractLanguage")}</p>}
          <RulePage text={text} resolve={resolve} beneath={<Files />} />
        </>
      )}
    </Shown>
  );
}

function Files() {
  return (
    <p class="row">
      <a class="button" href={FILE} target="_top">
        {t("site.asText")}
      </a>
      <a class="button" href={BUNDLE} target="_top">
        {t("shell.bundle")}
      </a>
    </p>
  );
}

/** Its own parts, and the pages of games; what else it names is in the repository, and here only text. */
function resolve(to: string): string | undefined {
  if (to.startsWith("#")) return to;
  const game = /^rules\/([a-z_]+)\.md(#.*)?$/.exec(to);
  return game === null ? undefined : `/games/${game[1] ?? ""}${game[2] ?? ""}`;
}
