/** A bot's places in ladders: entering, pausing, leaving. */
import { useCallback, useRef, useState } from "preact/hooks";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { allEntries, allExtensions, allLadders, arena } from "~/api/arena";
import { session } from "~/api/session";
import {
  type EnterLadderResponse,
  type Entry,
  EntryState,
  type Extension,
  type Ladder,
} from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { Enter, Pace } from "~/parts/enter/entering";
import { timeInZones } from "~/parts/ladder/time_in_zones";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { LooksLike } from "~/parts/looks_like";
import { Tag } from "~/parts/tag";

interface Place {
  readonly ladder: Ladder;
  readonly entry: Entry | undefined;
  /** The later deadline of the account that is signed in. */
  readonly extension: Extension | undefined;
}

async function placesOf(bot: string, signal: AbortSignal): Promise<Place[]> {
  const ladders = await allLadders(signal);
  const author = session.value?.scope === "author"; // of organisers the arena lists everybody's
  return Promise.all(
    ladders.map(async (ladder) => {
      const entries = await allEntries(ladder.name, signal);
      const extensions = author ? await allExtensions(ladder.name, signal) : [];
      return { ladder, entry: entries.find((entry) => entry.bot === bot), extension: extensions[0] };
    }),
  );
}

/** With `version`, that version is what enters; else the bot's newest. One that is not `playable` has no program yet. */
export function Entries(props: { bot: string; version?: string; playable?: boolean }) {
  const { bot, version = "", playable = true } = props;
  const places = useLoad(useCallback((signal) => placesOf(bot, signal), [bot]));
  return (
    <section>
      <h2>{t("enter.ladders")}</h2>
      {!playable && <p>{t("enter.noProgram")}</p>}
      <Shown loaded={places}>
        {(found, again) =>
          found.length === 0 ? (
            <Nothing>{t("enter.noLadders")}</Nothing>
          ) : (
            <ul class="entries">
              {found.map((place) => (
                <PlaceRow
                  key={place.ladder.name}
                  {...place}
                  bot={bot}
                  version={version}
                  playable={playable}
                  again={again}
                />
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}

function PlaceRow(props: Place & { bot: string; version: string; playable: boolean; again: () => void }) {
  const { bot, entry, version } = props;
  const [answer, setAnswer] = useState<EnterLadderResponse>();
  const row = useRef<HTMLLIElement>(null);
  const again = () => {
    row.current?.focus(); // other buttons come into the place of the one that was pressed
    props.again();
  };
  const ladder = props.ladder.name;
  const out = entry?.state === EntryState.DISQUALIFIED;
  const plays = entry !== undefined && !out && entry.state !== EntryState.LEFT;
  const paused = entry?.state === EntryState.PAUSED;
  return (
    <li class="row" ref={row} tabIndex={-1}>
      <a href={`/ladders/${encodeURIComponent(ladder)}`}>{ladder}</a>
      {plays && <Tag tone={paused ? "warn" : "good"}>{t(paused ? "enter.paused" : "enter.plays")}</Tag>}
      {plays && <span class="quiet">{t("enter.withVersion", { version: entry.version })}</span>}
      {plays && <LooksLike other={entry.looksLike} />}
      {props.extension?.untilTime !== undefined && (
        <span class="quiet">
          {t("enter.extended", {
            time: timeInZones(timestampDate(props.extension.untilTime), props.extension.untilZone),
            reason: props.extension.reason,
          })}
        </span>
      )}
      {out && <Tag tone="bad">{t("enter.disqualified")}</Tag>}
      {out && <span>{entry.disqualifyReason}</span>}
      {props.playable && !out && (!plays || (version !== "" && entry.version !== version)) && (
        <Enter
          ladder={ladder}
          bot={bot}
          version={version}
          label={t(plays ? "enter.bringVersion" : "enter.enterHere", { version })}
          entered={(entered) => {
            setAnswer(entered);
            again();
          }}
        />
      )}
      {plays && (
        <>
          <Act
            act={() => (paused ? arena.resumeEntry({ ladder, bot }) : arena.pauseEntry({ ladder, bot }))}
            done={again}
          >
            {t(paused ? "enter.resume" : "enter.pause")}
          </Act>
          <Act confirm={t("enter.leaveSure", { ladder })} act={() => arena.leaveLadder({ ladder, bot })} done={again}>
            {t("enter.leave")}
          </Act>
        </>
      )}
      {plays && answer?.entry?.version === entry.version && <Pace entered={answer} />}
    </li>
  );
}
