/** Entering a bot in a ladder, with how long it took in its check beside the ladder's clock. */
import { useState } from "preact/hooks";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { arena } from "~/api/arena";
import { inWords } from "~/api/errors";
import { reasonOf } from "~/api/reasons";
import type { EnterLadderResponse } from "~/gen/fudaba/v1/arena_pb";
import { number, t } from "~/i18n";
import { gameName } from "~/parts/games";
import { Act } from "~/parts/enter/act";

interface EnterProps {
  readonly ladder: string;
  readonly bot: string;
  readonly version: string;
  /** What the button says. */
  readonly label: string;
  readonly entered: (answer: EnterLadderResponse) => void;
}

/** A button that enters a version. One that is too slow for the ladder's clock is asked about, with both times. */
export function Enter({ ladder, bot, version, label, entered }: EnterProps) {
  const [tooSlow, setTooSlow] = useState("");
  const enter = async (anyway: boolean) => {
    try {
      entered(await arena.enterLadder({ ladder, bot, version, anyway }));
    } catch (error) {
      if (anyway || reasonOf(error) !== "TOO_SLOW") throw error;
      setTooSlow(inWords(error));
    }
  };
  if (tooSlow === "") {
    return (
      <Act class="small main" act={() => enter(false)}>
        {label}
      </Act>
    );
  }
  return (
    <div class="notice bad" role="alert">
      <p>{tooSlow}</p>
      <p>{t("enter.anywaySure", { bot, ladder })}</p>
      <span class="row">
        <Act class="small main" act={() => enter(true)}>
          {t("enter.anyway")}
        </Act>
        <button
          type="button"
          class="small"
          onClick={() => {
            setTooSlow("");
          }}
        >
          {t("account.no")}
        </button>
      </span>
    </div>
  );
}

/** How a version that has entered stands to the ladder's clock; nothing where its pace is not known. */
export function Pace({ entered: { pace, clock, warning } }: { entered: EnterLadderResponse }) {
  if (pace?.slowestDecision === undefined || clock === undefined) return null;
  const seconds = (ms: number) => number(ms / 1000, 2);
  return (
    <div class={warning === "" ? "notice good" : "notice warn"} role="status">
      <p>
        {t("enter.pace", {
          game: gameName(pace.game),
          took: seconds(durationMs(pace.slowestDecision)),
          given: seconds(clock.moveMs),
          bank: seconds(clock.bankMs),
        })}
      </p>
      {warning !== "" && <p>{t("enter.paceWarning")}</p>}
    </div>
  );
}
