/** The matches that the bots of a group have played with each other, shown over the bracket when they are asked for. */
import { useCallback, useId, useRef, useState } from "preact/hooks";
import { arena } from "~/api/arena";
import type { TournamentMatch } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import { MatchLinks } from "~/parts/ladder/match_links";
import { Nothing, Shown, useLoad } from "~/parts/load";

const PAGE_SIZE = 1000;

interface GroupMatchesProps {
  readonly tournament: string;
  readonly bots: readonly string[];
}

/** A button that opens the list. Escape, or a touch elsewhere, closes it. */
export function GroupMatches({ tournament, bots }: GroupMatchesProps) {
  const id = useId();
  const note = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const name = t("bracket.matchesOf", { bots: bots.join(" – ") });
  return (
    <>
      <button type="button" class="bare bracket-open" popovertarget={id} aria-label={name}>
        {t("bracket.matches")}
      </button>
      <div
        id={id}
        ref={note}
        popover="auto"
        class="bracket-matches"
        role="dialog"
        aria-label={name}
        onToggle={(event) => {
          setOpen(event.newState === "open");
        }}
      >
        <p class="row apart">
          <strong>{name}</strong>
          <button
            type="button"
            class="small"
            onClick={() => {
              note.current?.hidePopover();
            }}
          >
            {t("bracket.close")}
          </button>
        </p>
        {open && <List tournament={tournament} bots={bots} />}
      </div>
    </>
  );
}

function List({ tournament, bots }: GroupMatchesProps) {
  const group = bots.toSorted().join(" ");
  const read = useLoad(
    useCallback(
      async (signal: AbortSignal) =>
        (await allMatches(tournament, signal)).filter((match) => match.bots.toSorted().join(" ") === group),
      [tournament, group],
    ),
  );
  return (
    <Shown loaded={read}>
      {(matches) =>
        matches.length === 0 ? <Nothing>{t("bracket.noMatches")}</Nothing> : <MatchLinks matches={matches} />
      }
    </Shown>
  );
}

async function allMatches(tournament: string, signal: AbortSignal): Promise<readonly TournamentMatch[]> {
  const found: TournamentMatch[] = [];
  let pageToken = "";
  do {
    const page = await arena.listTournamentMatches({ tournament, pageSize: PAGE_SIZE, pageToken }, { signal });
    found.push(...page.matches);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return found;
}
