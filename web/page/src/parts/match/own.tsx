/** What only the author of a bot in the match sees beneath it: the author's tags, and what the bot printed. */
import { Code, ConnectError } from "@connectrpc/connect";
import { useCallback, useState } from "preact/hooks";
import { arena } from "~/api/arena";
import { allBots } from "~/api/bots";
import { inWords } from "~/api/errors";
import { matches } from "~/api/matches";
import { loadSession } from "~/api/session";
import type { Match } from "~/gen/fudaba/v1/matches_pb";
import type { Player } from "~/gen/fudaba/v1/record_pb";
import { t } from "~/i18n";
import { Shown, useLoad } from "~/parts/load";

interface OwnSeats {
  /** Whose seats they are, each version once. */
  readonly players: readonly Player[];
  /** Whether the reader may see what they printed: a bot's own token does not show that. */
  readonly logs: boolean;
}

/** The seats of a match that are the reader's own. */
async function ownSeats(match: Match, signal: AbortSignal): Promise<OwnSeats> {
  const session = await loadSession();
  const players = match.header?.players ?? [];
  if (session?.scope === "bot") return { players: versionsOf(players, [session.bot]), logs: false };
  if (session?.scope !== "author") return { players: [], logs: false };
  const own = await allBots(signal);
  return {
    players: versionsOf(
      players,
      own.map(({ name }) => name),
    ),
    logs: true,
  };
}

/** The players with one of these names, each version once. */
export function versionsOf(players: readonly Player[], names: readonly string[]): Player[] {
  return players.filter(
    ({ bot, version }, place) =>
      names.includes(bot) && players.findIndex((other) => other.bot === bot && other.version === version) === place,
  );
}

export default function Own({ match }: { match: Match }) {
  const own = useLoad(useCallback((signal: AbortSignal) => ownSeats(match, signal), [match]));
  if (own.state !== "there" || own.value.players.length === 0) return null; // nothing here is asked of anybody else
  return (
    <section class="match-own" aria-labelledby="match-own">
      <h2 id="match-own">{t("match.own")}</h2>
      <Tags match={match} />
      {own.value.logs &&
        own.value.players.map((player) => (
          <Printed key={`${player.bot}@${player.version}`} player={player} matchId={match.header?.matchId ?? ""} />
        ))}
    </section>
  );
}

/** Tags in a line, as they are typed. */
export function tagsIn(line: string): string[] {
  const tags = line.split(",").map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}

function Tags({ match }: { match: Match }) {
  const [line, setLine] = useState(match.tags.join(", "));
  const [said, setSaid] = useState("");
  const save = async () => {
    setSaid("");
    try {
      const { match: now } = await matches.setMatchTags({ matchId: match.header?.matchId ?? "", tags: tagsIn(line) });
      setLine((now?.tags ?? []).join(", "));
      setSaid(t("match.tagsSaved"));
    } catch (error) {
      setSaid(inWords(error));
    }
  };
  return (
    <form
      class="match-tags"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label>
        {t("match.tags")}
        <input
          value={line}
          aria-describedby="match-tags-explained"
          onInput={(event) => {
            setLine(event.currentTarget.value);
          }}
        />
      </label>
      <button type="submit">{t("match.saveTags")}</button>
      <p id="match-tags-explained" class="quiet">
        {t("match.tagsExplained")}
      </p>
      <p role="status">{said}</p>
    </form>
  );
}

/** The log of one version, if the arena keeps one: it does so for what was submitted, and not for long. */
function Printed({ player, matchId }: { player: Player; matchId: string }) {
  const { bot, version } = player;
  const read = useCallback(
    async (signal: AbortSignal) => {
      try {
        return (await arena.getBotLog({ bot, version, matchId }, { signal })).text;
      } catch (error) {
        if ([Code.NotFound, Code.Unimplemented].includes(ConnectError.from(error).code)) return "";
        throw error;
      }
    },
    [bot, version, matchId],
  );
  return (
    <Shown loaded={useLoad(read)}>
      {(text) =>
        text === "" ? (
          <p class="quiet">{t("match.noLog", { name: `${bot}@${version}` })}</p>
        ) : (
          <details>
            <summary>{t("match.printed", { name: `${bot}@${version}` })}</summary>
            <pre class="match-printed" tabIndex={0}>
              {text}
            </pre>
          </details>
        )
      }
    </Shown>
  );
}
