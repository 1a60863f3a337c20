/** The ladders: begun, paused, closed, begun anew, and deleted as long as nothing of them counts. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { lazy } from "preact-iso";
import { useState } from "preact/hooks";
import { allLadders, arena } from "~/api/arena";
import { type Ladder, LadderState, TournamentState } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { Shown, useLoad } from "~/parts/load";
import { CommandLine } from "~/parts/organiser/command_line";
import { DefinitionForm } from "~/parts/organiser/definition_form";
import FirstLadder, { LadderForm } from "~/parts/organiser/first_ladder";
import { zonedTime } from "~/parts/organiser/zoned_time";
import example from "../../../../../docs/examples/open.toml?raw";

const Extensions = lazy(() => import("~/parts/organiser/extensions"));
const FrozenStandings = lazy(() => import("~/parts/organiser/frozen_standings"));
const EditLadder = lazy(() => import("~/parts/organiser/edit_ladder"));
const FairPlay = lazy(() => import("~/parts/organiser/fair_play"));

export function Ladders() {
  const all = useLoad(allLadders);
  const [begun, setBegun] = useState(false); // by the first step: the other two are for this ladder
  return (
    <Shown loaded={all}>
      {(found, again) => (
        <>
          {(begun || found.length === 0) && (
            <FirstLadder
              made={() => {
                setBegun(true);
                again();
              }}
            />
          )}
          <ul class="entries">
            {found.map((ladder) => (
              <LadderRow key={ladder.name} ladder={ladder} again={again} />
            ))}
          </ul>
          <NewLadder made={again} />
        </>
      )}
    </Shown>
  );
}

/** A ladder as it is at this moment: questions state its numbers, not those of when the page was opened. */
async function ladderNow(name: string): Promise<Ladder> {
  const { ladder } = await arena.getLadder({ ladder: name });
  if (ladder === undefined) throw new Error(t("shell.notThere"));
  return ladder;
}

async function closeQuestion(name: string): Promise<string> {
  const { season, entriesPlaying, definition, tournament } = await ladderNow(name);
  const games = tournament?.definition?.games.length ?? 1;
  const blocks = definition?.finalBlocks ?? 0;
  const values = {
    ladder: name,
    season,
    entries: entriesPlaying,
    blocks,
    games,
    matches: tournament?.progress?.matchesCounted ?? 0,
  };
  return t(blocks === 0 ? "organiser.closeWithoutFinal" : "organiser.closeSure", values);
}

async function deleteQuestion(name: string): Promise<string> {
  const { entriesPlaying, tournament } = await ladderNow(name);
  return t("organiser.deleteSure", {
    ladder: name,
    entries: entriesPlaying,
    matches: tournament?.progress?.matchesPlaying ?? 0,
  });
}

function LadderRow({ ladder, again }: { ladder: Ladder; again: () => void }) {
  const name = ladder.name;
  const paused = ladder.state === LadderState.PAUSED;
  const over = ladder.tournament?.state === TournamentState.CLOSED;
  const unplayed = ladder.tournament?.progress?.blocksCounted === 0;
  const [editing, setEditing] = useState(false);
  const [extending, setExtending] = useState(false);
  const [freezing, setFreezing] = useState(false);
  const [judging, setJudging] = useState(false);
  return (
    <li>
      <div class="row">
        <a href={`/ladders/${encodeURIComponent(name)}`}>{name}</a>
        <span class="quiet">{t("organiser.season", { season: ladder.season, entries: ladder.entriesPlaying })}</span>
        {!over && (
          <>
            <Act
              label={`${t(paused ? "enter.resume" : "enter.pause")} ${name}`}
              act={() => (paused ? arena.resumeLadder({ ladder: name }) : arena.pauseLadder({ ladder: name }))}
              done={again}
            >
              {t(paused ? "enter.resume" : "enter.pause")}
            </Act>
            <Act
              label={`${t("organiser.close")} ${name}`}
              confirm={() => closeQuestion(name)}
              act={() => arena.closeSeason({ ladder: name })}
              done={again}
            >
              {t("organiser.close")}
            </Act>
          </>
        )}
        <Opener name={name} label={t("organiser.edit")} open={editing} set={setEditing} />
        {!over && <Opener name={name} label={t("organiser.extensions")} open={extending} set={setExtending} />}
        {(!over || ladder.tournament?.standingsFrozenTime !== undefined) && (
          <Opener name={name} label={t("organiser.standings")} open={freezing} set={setFreezing} />
        )}
        <Opener name={name} label={t("organiser.fairPlay")} open={judging} set={setJudging} />
        {unplayed && (
          <Act
            label={`${t("organiser.delete")} ${name}`}
            confirm={() => deleteQuestion(name)}
            act={() => arena.deleteLadder({ ladder: name })}
            done={again}
          >
            {t("organiser.delete")}
          </Act>
        )}
      </div>
      {extending && !over && <Extensions ladder={name} />}
      {freezing && ladder.tournament !== undefined && (
        <FrozenStandings ladder={name} season={ladder.tournament} over={over} done={again} />
      )}
      {judging && <FairPlay key={ladder.season} ladder={name} newest={ladder.season} />}
      {editing && (
        <EditLadder
          ladder={name}
          done={() => {
            setEditing(false);
            again();
          }}
        />
      )}
      {over ? (
        <NextSeason ladder={ladder} again={again} />
      ) : (
        <CommandLine
          lines={[
            ["fudaba", "ladder", paused ? "resume" : "pause", name],
            ["fudaba", "ladder", "close", name],
            ...(unplayed ? [["fudaba", "ladder", "delete", name]] : []),
          ]}
        />
      )}
    </li>
  );
}

/** Opens and closes a part of a ladder's row. */
function Opener(props: { name: string; label: string; open: boolean; set: (open: boolean) => void }) {
  const { name, label, open, set } = props;
  return (
    <button
      type="button"
      class="small"
      aria-expanded={open}
      aria-label={`${label} ${name}`}
      onClick={() => {
        set(!open);
      }}
    >
      {label}
    </button>
  );
}

/** Begins the season after one that is over. Its number is stated, so that asking twice begins one. */
function NextSeason({ ladder, again }: { ladder: Ladder; again: () => void }) {
  const [ends, setEnds] = useState("");
  const read = zonedTime(ends);
  const season = ladder.season + 1;
  return (
    <div class="form">
      <label>
        {t("organiser.seasonEnds")}
        <input
          value={ends}
          placeholder="2026-12-31 18:00 Europe/Berlin"
          spellcheck={false}
          onInput={(event) => {
            setEnds(event.currentTarget.value);
          }}
        />
      </label>
      {"wrong" in read ? (
        <p role="alert" class="bad">
          {read.wrong}
        </p>
      ) : (
        <>
          <p>
            <Act
              key={ends}
              confirm={async () => {
                const { entriesPlaying } = await ladderNow(ladder.name);
                return t("organiser.beginSure", { ladder: ladder.name, season, entries: entriesPlaying });
              }}
              act={() =>
                arena.beginSeason({
                  ladder: ladder.name,
                  season,
                  ...(read.date !== undefined && { endTime: timestampFromDate(read.date), endZone: read.zone }),
                })
              }
              done={again}
            >
              {t("organiser.begin", { season })}
            </Act>
          </p>
          <CommandLine
            lines={[
              [
                ...["fudaba", "ladder", "begin", ladder.name, "--season", String(season)],
                ...(read.date === undefined ? [] : ["--ends", read.text]),
              ],
            ]}
          />
        </>
      )}
    </div>
  );
}

/** A ladder's file, as `fudaba ladder new` writes it and `fudaba ladder create` takes it. */
function NewLadder({ made }: { made: () => void }) {
  return (
    <details class="sheet">
      <summary>{t("organiser.newLadder")}</summary>
      <LadderForm made={made} />
      <h3>{t("organiser.fileItself")}</h3>
      <DefinitionForm
        label={t("organiser.definition")}
        example={example}
        check={async (definition) => {
          await arena.createLadder({ definition, validateOnly: true });
          return t("organiser.isGood");
        }}
        create={(definition) => arena.createLadder({ definition })}
        made={made}
      />
    </details>
  );
}
