/** The tournaments: begun, paused, closed for good, and exported. */
import { allTournaments, arena } from "~/api/arena";
import { type Tournament, type TournamentPlan, TournamentState } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { gameName } from "~/parts/games";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { CommandLine } from "~/parts/organiser/command_line";
import { DefinitionForm } from "~/parts/organiser/definition_form";

const EXAMPLE = `name = "spring"
game = "naga"
blocks = 5

[[bots]]
name = "sensible"
builtin = "sensible"

[[bots]]
name = "random"
builtin = "random"
`;

export function Tournaments() {
  const all = useLoad(allTournaments);
  return (
    <Shown loaded={all}>
      {(found, again) => (
        <>
          {found.length === 0 && <Nothing />}
          <ul class="entries">
            {found.map((tournament) => (
              <TournamentRow key={tournament.name} tournament={tournament} again={again} />
            ))}
          </ul>
          <NewTournament made={again} />
        </>
      )}
    </Shown>
  );
}

/** What closing leaves out, with the numbers of this moment. */
async function closeQuestion(name: string): Promise<string> {
  const progress = (await arena.getTournament({ tournament: name })).tournament?.progress;
  const planned = progress?.matchesPlanned;
  const counted = progress?.matchesCounted ?? 0;
  return t(planned === undefined ? "organiser.closeOpenTournament" : "organiser.closeTournamentSure", {
    tournament: name,
    counted,
    left: Math.max(0, (planned ?? counted) - counted),
    playing: progress?.matchesPlaying ?? 0,
  });
}

function TournamentRow({ tournament, again }: { tournament: Tournament; again: () => void }) {
  const { name, state, progress } = tournament;
  const paused = state === TournamentState.PAUSED;
  const over = state === TournamentState.CLOSED;
  const exported = ["fudaba", "arena", "export", "--tournament", name, "--output", `${name}.jsonl`];
  return (
    <li>
      <div class="row">
        <a href={`/tournaments/${encodeURIComponent(name)}`}>{name}</a>
        <span class="quiet">{t("organiser.matchesCount", { counted: progress?.matchesCounted ?? 0 })}</span>
        {!over && (
          <>
            <Act
              label={`${t(paused ? "enter.resume" : "enter.pause")} ${name}`}
              act={() =>
                paused ? arena.resumeTournament({ tournament: name }) : arena.pauseTournament({ tournament: name })
              }
              done={again}
            >
              {t(paused ? "enter.resume" : "enter.pause")}
            </Act>
            <Act
              label={`${t("organiser.closeTournament")} ${name}`}
              confirm={() => closeQuestion(name)}
              act={() => arena.closeTournament({ tournament: name })}
              done={again}
            >
              {t("organiser.closeTournament")}
            </Act>
          </>
        )}
      </div>
      <CommandLine
        lines={[
          ...(over
            ? []
            : [
                ["fudaba", "tournament", paused ? "resume" : "pause", name],
                ["fudaba", "tournament", "close", name],
              ]),
          exported,
        ]}
      />
    </li>
  );
}

function NewTournament({ made }: { made: () => void }) {
  return (
    <details class="sheet">
      <summary>{t("organiser.newTournament")}</summary>
      <DefinitionForm
        label={t("organiser.tournamentDefinition")}
        example={EXAMPLE}
        check={async (definition) => planned((await arena.createTournament({ definition, validateOnly: true })).plan)}
        create={(definition) => arena.createTournament({ definition })}
        made={made}
      />
    </details>
  );
}

/** How much is played, a line for each game. */
function planned(plan: TournamentPlan | undefined): string {
  const games = plan?.games ?? [];
  return [
    t("organiser.isGood"),
    ...games.map(({ game, blocks, matches }) => t("organiser.planned", { game: gameName(game), blocks, matches })),
  ].join("\n");
}
