/** The limits of an account, or of all that have none of their own: what there is of each, set and cleared. */
import { useCallback, useState } from "preact/hooks";
import { accounts } from "~/api/accounts";
import type { GetQuotasResponse, Quotas } from "~/gen/fudaba/v1/accounts_pb";
import { type MessageKey, number, t } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { Shown, useLoad } from "~/parts/load";
import { CommandLine } from "~/parts/organiser/command_line";
import { wholeNumber } from "~/parts/organiser/whole_numbers";

const MAX_LIMIT = 1_000_000;

type Limit = "bots" | "versionsPerDay" | "unfinishedMatches" | "streams" | "matchesPerHour" | "records";

/** Each limit, in words and as the command line names it. */
const LIMITS: readonly (readonly [Limit, MessageKey, string])[] = [
  ["bots", "organiser.quotaBots", "--bots"],
  ["versionsPerDay", "organiser.quotaVersions", "--versions-per-day"],
  ["unfinishedMatches", "organiser.quotaUnfinished", "--unfinished-matches"],
  ["streams", "organiser.quotaStreams", "--streams"],
  ["matchesPerHour", "organiser.quotaMatches", "--matches-per-hour"],
  ["records", "organiser.quotaRecords", "--records"],
];

/** `account` is empty for the defaults of all accounts. */
export function AccountQuotas({ account }: { account: string }) {
  const read = useLoad(useCallback((signal: AbortSignal) => accounts.getQuotas({ account }, { signal }), [account]));
  return <Shown loaded={read}>{(found, again) => <Form account={account} quotas={found} again={again} />}</Shown>;
}

function Form({ account, quotas, again }: { account: string; quotas: GetQuotasResponse; again: () => void }) {
  const [typed, setTyped] = useState<Partial<Record<Limit, string>>>({});
  const limits: Partial<Record<Limit, number>> = {};
  const words: string[] = [];
  let wrong = "";
  for (const [limit, , option] of LIMITS) {
    const read = wholeNumber(typed[limit] ?? "", 1, MAX_LIMIT);
    if ("wrong" in read) wrong ||= read.wrong;
    else if (read.number !== undefined) {
      limits[limit] = read.number;
      words.push(option, String(read.number));
    }
  }
  const whose = account === "" ? "--defaults" : account;
  const done = () => {
    setTyped({});
    again();
  };
  return (
    <div class="form">
      {LIMITS.map(([limit, key]) => (
        <label key={limit}>
          {t(key)}
          <input
            inputMode="numeric"
            value={typed[limit] ?? ""}
            placeholder={number(quotas.limits?.[limit] ?? 0)}
            onInput={(event) => {
              setTyped({ ...typed, [limit]: event.currentTarget.value });
            }}
          />
          <span class="quiet">{inForce(quotas, limit)}</span>
        </label>
      ))}
      {wrong !== "" && (
        <p role="alert" class="bad">
          {t("organiser.quotaWrong", { text: wrong, most: MAX_LIMIT })}
        </p>
      )}
      {wrong === "" && words.length > 0 && (
        <>
          <Act class="main" act={() => accounts.updateQuotas({ account, limits })} done={done}>
            {t("organiser.quotaSet")}
          </Act>
          <CommandLine lines={[["fudaba", "quota", "set", whose, ...words]]} />
        </>
      )}
      {isSet(quotas.setLimits) && (
        <>
          <Act
            confirm={() => resetQuestion(account)}
            act={() => accounts.updateQuotas({ account, reset: true })}
            done={done}
          >
            {t("organiser.quotaReset")}
          </Act>
          <CommandLine lines={[["fudaba", "quota", "set", whose, "--reset"]]} />
        </>
      )}
    </div>
  );
}

function inForce({ limits, used }: GetQuotasResponse, limit: Limit): string {
  const most = limits?.[limit] ?? 0;
  const has = used?.[limit];
  return has === undefined ? t("organiser.quotaLimit", { most }) : t("organiser.quotaUsed", { most, has });
}

function isSet(limits: Quotas | undefined): boolean {
  return limits !== undefined && LIMITS.some(([limit]) => limits[limit] !== undefined);
}

/** Which limits go, with their numbers. */
async function resetQuestion(account: string): Promise<string> {
  const { setLimits } = await accounts.getQuotas({ account });
  const going = LIMITS.flatMap(([limit, key]) => {
    const most = setLimits?.[limit];
    return most === undefined ? [] : [`${t(key)}: ${number(most)}`];
  });
  return t(account === "" ? "organiser.quotaResetAll" : "organiser.quotaResetSure", {
    account,
    limits: going.join("; "),
  });
}
