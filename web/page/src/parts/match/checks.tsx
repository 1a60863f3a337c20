/** The verification of a record: in this browser what it can check, and by the service the rest. */
import { useState } from "preact/hooks";
import { matches } from "~/api/matches";
import { inWords } from "~/api/errors";
import type { MatchRecord } from "~/gen/fudaba/v1/record_pb";
import { type MessageKey, t } from "~/i18n";
import { readPositions } from "~/parts/match/positions";
import type { Check } from "~/verify";

const SUBJECTS: Record<Check["subject"], MessageKey> = {
  commitment: "match.check.commitment",
  dealer: "match.check.dealer",
  hand: "match.check.hand",
  table: "match.check.table",
};

interface Progress {
  readonly checks: readonly Check[];
  readonly state: "none" | "working" | "done";
  readonly failed?: string;
}

export function Checks({ record }: { record: MatchRecord }) {
  const [progress, setProgress] = useState<Progress>({ checks: [], state: "none" });
  const verify = async () => {
    const checks: Check[] = [];
    setProgress({ checks, state: "working" });
    try {
      for await (const check of allChecks(record)) {
        checks.push(check);
        setProgress({ checks: [...checks], state: "working" });
      }
      setProgress({ checks, state: "done" });
    } catch (error) {
      setProgress({ checks, state: "done", failed: inWords(error) });
    }
  };
  const { checks, state, failed } = progress;
  return (
    <section class="match-checks" aria-labelledby="match-checks-title">
      <h2 id="match-checks-title">{t("match.checks")}</h2>
      <p class="quiet">{t("match.checksExplained")}</p>
      <button type="button" disabled={state === "working"} onClick={() => void verify()}>
        {state === "working" ? t("match.checking") : t("match.verify")}
      </button>
      <ul class="match-check-list">
        {checks.map((check, place) => (
          <li key={place} class={check.holds ? "holds" : "fails"}>
            {t(check.holds ? "match.check.holds" : "match.check.fails", { what: words(check) })}
          </li>
        ))}
      </ul>
      <p role="status">{state === "done" && failed === undefined && summary(checks)}</p>
      {failed !== undefined && <p role="alert">{failed}</p>}
      {state === "done" && <AskService record={record} />}
    </section>
  );
}

/** All checks of this browser, one after the other; the verifier is a part that is loaded now. */
async function* allChecks(record: MatchRecord): AsyncGenerator<Check> {
  const { canVerify, checkCommitment, checkDeals } = await import("~/verify");
  if (!canVerify()) throw new Error(t("match.checkNoCrypto"));
  yield await checkCommitment(record);
  const { matchId = "", players = [] } = record.header ?? {};
  for (let seat = 0; seat < players.length; seat += 1) {
    const positions = await readPositions(matchId, seat, new AbortController().signal, () => undefined);
    const events = positions.flatMap((position) => position.events);
    for await (const check of checkDeals(record, events)) {
      // What is public is the same for every seat.
      if (check.subject === "hand" || seat === 0) yield check;
    }
  }
}

function words(check: Check): string {
  return t(SUBJECTS[check.subject], { deal: check.deal, seat: check.seat });
}

function summary(checks: readonly Check[]): string {
  const wrong = checks.filter((check) => !check.holds).length;
  return wrong === 0 ? t("match.checksHold", { count: checks.length }) : t("match.checksFail", { count: wrong });
}

/** What the browser does not check, and who does. */
function AskService({ record }: { record: MatchRecord }) {
  const [answer, setAnswer] = useState<{ faults: readonly string[] } | { error: string } | "asked">();
  const ask = () => {
    setAnswer("asked");
    matches.verifyRecord({ record }).then(
      ({ faults }) => {
        setAnswer({ faults });
      },
      (error: unknown) => {
        setAnswer({ error: inWords(error) });
      },
    );
  };
  return (
    <>
      <p class="quiet">{t("match.checksLeft")}</p>
      <button type="button" disabled={answer === "asked"} onClick={ask}>
        {t("match.askService")}
      </button>
      <div role="status">
        {typeof answer === "object" && "error" in answer && <p>{answer.error}</p>}
        {typeof answer === "object" && "faults" in answer && answer.faults.length === 0 && (
          <p class="holds">{t("match.serviceHolds")}</p>
        )}
        {typeof answer === "object" && "faults" in answer && answer.faults.length > 0 && (
          <ul>
            {answer.faults.map((fault) => (
              <li key={fault} class="fails">
                {fault}
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}
