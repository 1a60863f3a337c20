/** Disqualifies an entry of a ladder, or undoes that, once it is seen whose rank and rating change. */
import { useState } from "preact/hooks";
import { arena } from "~/api/arena";
import type { DisqualificationEffect, StandingEffect } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { Effect } from "~/parts/organiser/annul";
import { CommandLine } from "~/parts/organiser/command_line";

interface Fields {
  readonly ladder: string;
  readonly bot: string;
}

/** What was looked at, of which exactly this is done then. */
interface Seen {
  /** The fields that it was of: the answer may come when others stand there. */
  readonly typed: Fields;
  readonly undo: boolean;
  readonly effect: DisqualificationEffect;
}

/** `begun` has what a link to the form has filled in. */
export function Disqualify({ begun = {} }: { begun?: Partial<Fields> }) {
  const [typed, setTyped] = useState<Fields>({ ladder: "", bot: "", ...begun });
  const [reason, setReason] = useState("");
  const [lastSeen, setSeen] = useState<Seen>();
  const [done, setDone] = useState("");
  const seen = lastSeen?.typed === typed ? lastSeen : undefined;
  const request = { ladder: typed.ladder.trim(), bot: typed.bot.trim() };
  const field = (key: keyof Fields) => (
    <label>
      {t(`organiser.disqualify.${key}`)}
      <input
        value={typed[key]}
        onInput={(event) => {
          setTyped({ ...typed, [key]: event.currentTarget.value });
          setDone("");
        }}
      />
    </label>
  );
  const look = (undo: boolean) => async () => {
    const asked = { ...request, validateOnly: true };
    const { effect } = await (undo ? arena.reinstateEntry(asked) : arena.disqualifyEntry(asked));
    if (effect !== undefined) setSeen({ typed, undo, effect });
  };
  return (
    <div class="form">
      <p class="quiet">{t("organiser.disqualifyIntro")}</p>
      {field("ladder")}
      {field("bot")}
      <label>
        {t("organiser.disqualify.reason")}
        <input
          value={reason}
          onInput={(event) => {
            setReason(event.currentTarget.value);
          }}
        />
      </label>
      {request.ladder !== "" && request.bot !== "" && (
        <>
          <Act act={look(false)}>{t("organiser.disqualifyLook")}</Act>
          <Act act={look(true)}>{t("organiser.reinstateLook")}</Act>
        </>
      )}
      {seen !== undefined && (
        <>
          <Changes effect={seen.effect} />
          {seen.effect.openBlocks > 0n && (
            <p>{t("organiser.disqualifyOpen", { count: Number(seen.effect.openBlocks) })}</p>
          )}
          {reason.trim() === "" ? (
            <p>{t("organiser.disqualifyWhy")}</p>
          ) : (
            <>
              <Act
                class="main"
                confirm={t(seen.undo ? "organiser.reinstateSure" : "organiser.disqualifySure", {
                  ...request,
                  count: changedBlocks(seen.effect),
                  versions: seen.effect.standings.length,
                })}
                act={() =>
                  seen.undo
                    ? arena.reinstateEntry({ ...request, reason })
                    : arena.disqualifyEntry({ ...request, reason })
                }
                done={() => {
                  setTyped({ ...typed }); // what was looked at is of the past
                  setDone(t(seen.undo ? "organiser.reinstated" : "organiser.disqualified", request));
                }}
              >
                {t(seen.undo ? "organiser.reinstate" : "organiser.disqualify")}
              </Act>
              <CommandLine lines={[command(request, reason.trim(), seen.undo)]} />
            </>
          )}
        </>
      )}
      {done !== "" && (
        <p role="status" class="notice good">
          {done}
        </p>
      )}
    </div>
  );
}

function command({ ladder, bot }: Fields, reason: string, undo: boolean): string[] {
  return ["fudaba", "ladder", "disqualify", ladder, bot, ...(undo ? ["--undo"] : []), "--reason", reason];
}

/** How many blocks stop counting, in whole or for the bot, or count again. */
function changedBlocks({ results }: DisqualificationEffect): number {
  const changes = (results?.bots ?? []).map((bot) => Math.abs(Number(bot.blocksBefore - bot.blocksAfter)));
  return Math.max(0, ...changes);
}

/** Whose rank and rating change, and how much counts of each bot. */
function Changes({ effect }: { effect: DisqualificationEffect }) {
  return (
    <>
      <div class="scroll" role="region" aria-label={t("organiser.disqualifyStandings")} tabIndex={0}>
        <table>
          <caption>{t("organiser.disqualifyStandings")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("organiser.disqualifyVersion")}</th>
              <th scope="col">{t("organiser.disqualifyRank")}</th>
              <th scope="col">{t("organiser.disqualifyRating")}</th>
            </tr>
          </thead>
          <tbody>
            {effect.standings.map((row) => (
              <StandingRow key={row.bot} row={row} />
            ))}
          </tbody>
        </table>
      </div>
      {effect.results !== undefined && <Effect effect={effect.results} />}
    </>
  );
}

function StandingRow({ row }: { row: StandingEffect }) {
  const rating = (value: number | undefined) => value?.toFixed(0) ?? "–";
  return (
    <tr>
      <th scope="row">{row.bot}</th>
      <td>{`${row.rankBefore ?? "–"} → ${row.rankAfter ?? "–"}`}</td>
      <td>{`${rating(row.ratingBefore)} → ${rating(row.ratingAfter)}`}</td>
    </tr>
  );
}
