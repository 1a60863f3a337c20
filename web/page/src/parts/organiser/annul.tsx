/** Takes results out of the ratings, by block, bot, worker or time, once it is seen what that does; and has them count again. */
import { useCallback, useState } from "preact/hooks";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { arena } from "~/api/arena";
import { everyPage } from "~/api/every_page";
import type { Annulment, AnnulmentEffect } from "~/gen/fudaba/v1/arena_pb";
import { t, time } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { MAX_BLOCKS } from "~/parts/organiser/block_numbers";
import { annulCommand, type Chosen, type ChosenFields, chosenBlocks } from "~/parts/organiser/chosen_blocks";
import { CommandLine } from "~/parts/organiser/command_line";

/** What was looked at, of which exactly this is annulled then. */
interface Seen {
  /** The fields that it was of: the answer may come when others stand there. */
  readonly typed: ChosenFields;
  readonly chosen: Chosen;
  readonly blocks: readonly bigint[];
  readonly effect: AnnulmentEffect;
}

type Field = keyof ChosenFields;

const NOTHING: ChosenFields = {
  tournament: "",
  blocks: "",
  bot: "",
  pair: "",
  game: "",
  worker: "",
  since: "",
  until: "",
};

/** `begun` has what a link to the form has filled in. */
export function Annul({ begun = {} }: { begun?: Partial<ChosenFields> }) {
  const [typed, setTyped] = useState<ChosenFields>({ ...NOTHING, ...begun });
  const [reason, setReason] = useState("");
  const [lastSeen, setSeen] = useState<Seen>();
  const seen = lastSeen?.typed === typed ? lastSeen : undefined;
  const [done, setDone] = useState("");
  const [listed, setListed] = useState("");
  const field = (key: Field) => (
    <label>
      {t(`organiser.annul.${key}`)}
      <input
        value={typed[key]}
        onInput={(event) => {
          setTyped({ ...typed, [key]: event.currentTarget.value });
          setDone("");
        }}
      />
    </label>
  );
  const read = chosenBlocks(typed);
  const chosen = read !== undefined && "request" in read ? read : undefined;
  const tournamentName = typed.tournament.trim();
  const changed = (text: string) => {
    setTyped((last) => ({ ...last })); // what was looked at before, or still is, is of the past
    setDone(text);
    setListed(tournamentName);
  };
  return (
    <div class="form">
      <p class="quiet">{t("organiser.annulIntro")}</p>
      {field("tournament")}
      <p class="quiet">{t("organiser.annulFilters")}</p>
      {field("blocks")}
      {field("bot")}
      {field("pair")}
      {field("game")}
      {field("worker")}
      {field("since")}
      {field("until")}
      {read !== undefined && "wrong" in read && (
        <p role="alert" class="bad">
          {read.wrong}
        </p>
      )}
      <label>
        {t("organiser.annul.reason")}
        <input
          value={reason}
          onInput={(event) => {
            setReason(event.currentTarget.value);
            setDone("");
          }}
        />
      </label>
      {tournamentName !== "" && chosen !== undefined && (
        <Act
          act={async () => {
            const { blocks: found, effect } = await look(chosen);
            if (effect !== undefined) setSeen({ typed, chosen, blocks: found, effect });
          }}
        >
          {t("organiser.annulLook")}
        </Act>
      )}
      {seen !== undefined && (
        <>
          <Effect effect={seen.effect} />
          {reason.trim() === "" ? (
            <p>{t("organiser.annulWhy")}</p>
          ) : (
            <>
              <Act
                class="main"
                confirm={t("organiser.annulSure", amounts(seen.effect))}
                act={() =>
                  arena.annulBlocks({
                    ...seen.chosen.request,
                    ...(seen.blocks.length <= MAX_BLOCKS && { blocks: [...seen.blocks] }),
                    reason,
                  })
                }
                done={() => {
                  changed(t("organiser.annulled"));
                }}
              >
                {t("organiser.annul")}
              </Act>
              <CommandLine lines={[annulCommand(seen.chosen, reason.trim())]} />
            </>
          )}
        </>
      )}
      {done !== "" && (
        <p role="status" class="notice good">
          {done}
        </p>
      )}
      {tournamentName !== "" && listed !== tournamentName && (
        <button
          type="button"
          class="small"
          onClick={() => {
            setListed(tournamentName);
          }}
        >
          {t("organiser.annulments")}
        </button>
      )}
      {listed !== "" && listed === tournamentName && (
        <Annulments
          key={`${tournamentName} ${done}`}
          tournament={tournamentName}
          reason={reason}
          undone={() => {
            changed(t("organiser.annulUndone"));
          }}
        />
      )}
    </div>
  );
}

/** How an arena begins to say that a request names no blocks. */
const NAMES_NOTHING = "say which blocks";

/**
 * What an annulment would do. An arena of an earlier release ignores a pair or a game, and would annul more. Either alone is
 * nothing to it, which it refuses.
 */
async function look({ request }: Chosen) {
  const { tournament = "", pair = [], game = "" } = request;
  if (pair.length > 0) await checkKnown({ tournament, pair }, "organiser.annulPairUnknown");
  if (game !== "") await checkKnown({ tournament, game }, "organiser.annulGameUnknown");
  return arena.annulBlocks({ ...request, validateOnly: true });
}

async function checkKnown(
  alone: Chosen["request"],
  unknown: "organiser.annulPairUnknown" | "organiser.annulGameUnknown",
) {
  try {
    await arena.annulBlocks({ ...alone, validateOnly: true });
  } catch (error) {
    if (error instanceof ConnectError && error.rawMessage.startsWith(NAMES_NOTHING))
      throw new Error(t(unknown), { cause: error });
    throw error;
  }
}

/** How many blocks and matches stop counting, or count again, for a question. */
function amounts(effect: AnnulmentEffect): Record<string, number> {
  const size = (before: bigint, after: bigint) => Math.abs(Number(before - after));
  return {
    blocks: size(effect.blocksBefore, effect.blocksAfter),
    allBlocks: Number(effect.blocksBefore),
    matches: size(effect.matchesBefore, effect.matchesAfter),
    allMatches: Number(effect.matchesBefore),
  };
}

/** What counts of each bot before and after it. */
export function Effect({ effect }: { effect: AnnulmentEffect }) {
  const rows = [...effect.bots, { ...effect, bot: t("organiser.annulAll") }];
  return (
    <div class="scroll" role="region" aria-label={t("organiser.annulEffect")} tabIndex={0}>
      <table>
        <caption>{t("organiser.annulEffect")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("organiser.annulBot")}</th>
            <th scope="col">{t("organiser.annulBlocks")}</th>
            <th scope="col">{t("organiser.annulMatches")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.bot}>
              <th scope="row">{row.bot}</th>
              <td>{`${row.blocksBefore} → ${row.blocksAfter}`}</td>
              <td>{`${row.matchesBefore} → ${row.matchesAfter}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The annulments of a tournament, each to be undone. */
function Annulments(props: { tournament: string; reason: string; undone: () => void }) {
  const { tournament } = props;
  const all = useLoad(
    useCallback(
      (signal: AbortSignal) =>
        everyPage(
          (page) => arena.listAnnulments({ tournament, ...page }, { signal }),
          ({ annulments }) => annulments,
        ),
      [tournament],
    ),
  );
  return (
    <Shown loaded={all}>
      {(found) =>
        found.length === 0 ? (
          <Nothing>{t("organiser.annulNone")}</Nothing>
        ) : (
          <ul class="entries" aria-label={t("organiser.annulments")}>
            {found.map((annulment) => (
              <AnnulmentRow key={String(annulment.number)} annulment={annulment} {...props} />
            ))}
          </ul>
        )
      }
    </Shown>
  );
}

function AnnulmentRow(props: { annulment: Annulment; tournament: string; reason: string; undone: () => void }) {
  const { annulment, tournament, reason } = props;
  const [effect, setEffect] = useState<AnnulmentEffect>();
  const holds = annulment.undoes === 0n && annulment.undoneBy === 0n;
  const undo = { tournament, annulment: annulment.number };
  return (
    <li class="row">
      <span>
        {t(annulment.undoes === 0n ? "organiser.annulEntry" : "organiser.annulUndoes", {
          number: String(annulment.number),
          count: annulment.blocks.length,
          undoes: String(annulment.undoes),
        })}
      </span>
      {annulment.time !== undefined && <span class="quiet">{time(timestampDate(annulment.time))}</span>}
      {annulment.bots.length > 0 && <span>{annulment.bots.join(" ")}</span>}
      <span>{annulment.reason}</span>
      {annulment.undoneBy !== 0n && (
        <span class="quiet">{t("organiser.annulIsUndone", { by: String(annulment.undoneBy) })}</span>
      )}
      {holds && effect === undefined && (
        <Act
          act={async () => {
            setEffect((await arena.undoAnnulment({ ...undo, validateOnly: true })).effect);
          }}
        >
          {t("organiser.annulUndo")}
        </Act>
      )}
      {holds && effect !== undefined && reason.trim() === "" && <span>{t("organiser.annulWhy")}</span>}
      {holds && effect !== undefined && reason.trim() !== "" && (
        <Act
          confirm={t("organiser.annulUndoSure", { number: String(annulment.number), ...amounts(effect) })}
          act={() => arena.undoAnnulment({ ...undo, reason })}
          done={props.undone}
        >
          {t("organiser.annulUndo")}
        </Act>
      )}
    </li>
  );
}
