/** What one can do with a bot: play against it, have one's own bot challenge it. */
import { ChallengePolicy, type Entry, EntrantKind, type Entrant } from "~/gen/fudaba/v1/arena_pb";
import { lazy } from "preact-iso";
import { useState } from "preact/hooks";
import { t } from "~/i18n";
import type { InLadder } from "~/parts/bot/load";
import { gameOf } from "~/parts/games";
import { nameOf } from "~/parts/ladder/names";

const ChallengeForm = lazy(() => import("~/parts/bot/challenge"));

/** The house bot that plays as this entrant does, if it is one of those that come with the kit. */
export function houseBotOf(entrant: Entrant): string | undefined {
  return entrant.kind === EntrantKind.BUILTIN && entrant.builtin !== "" ? `house-${entrant.builtin}` : undefined;
}

/** Whether somebody may challenge this entry. Bots of one account always may, and the arena has the last word. */
export function takesChallenges(entry: Entry): boolean {
  return entry.challenges === ChallengePolicy.ANYONE || entry.challenges === ChallengePolicy.LISTED;
}

export function Against({ bot, ladders }: { bot: string; ladders: readonly InLadder[] }) {
  const [challenging, setChallenging] = useState(false);
  const entrant = ladders.flatMap((inLadder) => inLadder.entrants).find((candidate) => nameOf(candidate.bot) === bot);
  const house = entrant === undefined ? undefined : houseBotOf(entrant);
  const open = ladders.filter((inLadder) => inLadder.entries.some(takesChallenges));
  const game = ladders[0]?.ladder.tournament?.definition?.games[0]?.game ?? "";
  return (
    <>
      <p class="row">
        {house !== undefined && gameOf(game)?.houseBots.some((houseBot) => houseBot.name === house) === true && (
          <a class="button main" href={`/play?game=${game}&opponent=${house}`}>
            {t("ladder.playAgainst")}
          </a>
        )}
        {open.length > 0 && (
          <button
            type="button"
            aria-expanded={challenging}
            onClick={() => {
              setChallenging(!challenging);
            }}
          >
            {t("ladder.challenge")}
          </button>
        )}
      </p>
      {challenging && <ChallengeForm bot={bot} ladders={open.map((inLadder) => inLadder.ladder)} />}
    </>
  );
}
