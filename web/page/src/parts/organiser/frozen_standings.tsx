/** Freezes the standings of a ladder, says when they open, and opens them. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useState } from "preact/hooks";
import { arena } from "~/api/arena";
import type { Tournament } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { frozenInWords } from "~/parts/ladder/frozen";
import { CommandLine } from "~/parts/organiser/command_line";
import { zonedTime } from "~/parts/organiser/zoned_time";

interface FrozenStandingsProps {
  readonly ladder: string;
  readonly season: Tournament;
  readonly over: boolean;
  readonly done: () => void;
}

export default function FrozenStandings({ ladder, season, over, done }: FrozenStandingsProps) {
  const [opens, setOpens] = useState("");
  const read = zonedTime(opens);
  const frozen = season.standingsFrozenTime !== undefined;
  const until = "wrong" in read || read.date === undefined ? [] : ["--until", read.text];
  return (
    <section class="form">
      <p class="quiet">{t("organiser.freezeIntro")}</p>
      {frozen && <p class="notice">{frozenInWords(season)}</p>}
      {(frozen || !over) && (
        <>
          <label>
            {t("organiser.freezeUntil")}
            <input
              value={opens}
              placeholder="2026-12-31 18:00 Europe/Berlin"
              spellcheck={false}
              onInput={(event) => {
                setOpens(event.currentTarget.value);
              }}
            />
          </label>
          {"wrong" in read ? (
            <p role="alert" class="bad">
              {read.wrong}
            </p>
          ) : (
            <Act
              class="main"
              label={`${t(frozen ? "organiser.freezeChange" : "organiser.freeze")} ${ladder}`}
              act={() =>
                arena.freezeStandings({
                  ladder,
                  ...(read.date !== undefined && { openTime: timestampFromDate(read.date), openZone: read.zone }),
                })
              }
              done={done}
            >
              {t(frozen ? "organiser.freezeChange" : "organiser.freeze")}
            </Act>
          )}
        </>
      )}
      {frozen && (
        <Act
          label={`${t("organiser.openStandings")} ${ladder}`}
          confirm={t("organiser.openStandingsSure", { ladder })}
          act={() => arena.openStandings({ ladder })}
          done={done}
        >
          {t("organiser.openStandings")}
        </Act>
      )}
      <CommandLine
        lines={[
          ...(frozen || !over ? [["fudaba", "ladder", "freeze", ladder, ...until]] : []),
          ...(frozen ? [["fudaba", "ladder", "open", ladder]] : []),
        ]}
      />
    </section>
  );
}
