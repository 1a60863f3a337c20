/** Later deadlines of single accounts in a ladder: granted with a reason, listed, withdrawn. */
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useCallback, useState } from "preact/hooks";
import { allExtensions, arena } from "~/api/arena";
import type { Extension } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { timeInZones } from "~/parts/ladder/time_in_zones";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { CommandLine } from "~/parts/organiser/command_line";
import { zonedTime } from "~/parts/organiser/zoned_time";

export default function Extensions({ ladder }: { ladder: string }) {
  const known = useLoad(useCallback((signal: AbortSignal) => allExtensions(ladder, signal), [ladder]));
  const [reason, setReason] = useState("");
  return (
    <section class="form">
      <p class="quiet">{t("organiser.extensionsIntro")}</p>
      <label>
        {t("organiser.extensionReason")}
        <input
          value={reason}
          onInput={(event) => {
            setReason(event.currentTarget.value);
          }}
        />
      </label>
      <Shown loaded={known}>
        {(found, again) => (
          <>
            <Extend ladder={ladder} reason={reason.trim()} done={again} />
            {found.length === 0 && <Nothing>{t("organiser.noExtensions")}</Nothing>}
            <ul class="entries">
              {found.map((extension) => (
                <Granted
                  key={extension.account}
                  ladder={ladder}
                  extension={extension}
                  reason={reason.trim()}
                  done={again}
                />
              ))}
            </ul>
          </>
        )}
      </Shown>
    </section>
  );
}

function Extend({ ladder, reason, done }: { ladder: string; reason: string; done: () => void }) {
  const [account, setAccount] = useState("");
  const [until, setUntil] = useState("");
  const read = zonedTime(until);
  const named = account.trim();
  return (
    <>
      <label>
        {t("organiser.extensionAccount")}
        <input
          value={account}
          spellcheck={false}
          onInput={(event) => {
            setAccount(event.currentTarget.value);
          }}
        />
      </label>
      <label>
        {t("organiser.extensionUntil")}
        <input
          value={until}
          placeholder="2026-12-31 18:00 Europe/Berlin"
          spellcheck={false}
          onInput={(event) => {
            setUntil(event.currentTarget.value);
          }}
        />
      </label>
      {"wrong" in read ? (
        <p role="alert" class="bad">
          {read.wrong}
        </p>
      ) : (
        named !== "" &&
        read.date !== undefined &&
        reason !== "" && (
          <>
            <Act
              class="main"
              act={() =>
                arena.extendDeadline({
                  ladder,
                  account: named,
                  reason,
                  untilTime: timestampFromDate(read.date ?? new Date(0)),
                  untilZone: read.zone,
                })
              }
              done={done}
            >
              {t("organiser.extend")}
            </Act>
            <CommandLine
              lines={[["fudaba", "ladder", "extend", ladder, named, "--until", read.text, "--reason", reason]]}
            />
          </>
        )
      )}
    </>
  );
}

function Granted(props: { ladder: string; extension: Extension; reason: string; done: () => void }) {
  const { ladder, extension, reason } = props;
  const { account, untilTime, untilZone } = extension;
  return (
    <li class="row">
      <span>{account}</span>
      {untilTime !== undefined && <span>{timeInZones(timestampDate(untilTime), untilZone)}</span>}
      <span class="quiet">{extension.reason}</span>
      {reason !== "" && (
        <Act
          label={`${t("organiser.withdrawExtension")} ${account}`}
          confirm={t("organiser.withdrawSure", { account, ladder })}
          act={() => arena.withdrawExtension({ ladder, account, reason })}
          done={props.done}
        >
          {t("organiser.withdrawExtension")}
        </Act>
      )}
    </li>
  );
}
