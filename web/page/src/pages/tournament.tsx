/** A tournament, which ends: its table, its cross table, its schedule. */
import { useRoute } from "preact-iso";
import { useCallback, useEffect, useState } from "preact/hooks";
import { arena } from "~/api/arena";
import { follow } from "~/api/follow";
import { type Tournament as TournamentMessage, TournamentState } from "~/gen/fudaba/v1/arena_pb";
import { t } from "~/i18n";
import { Above, Fairness, FormatTerm, Games, Progress } from "~/parts/ladder/heading";
import { TournamentStateTag } from "~/parts/ladder/states";
import { changesAtLeast } from "~/parts/ladder/live";
import { Season } from "~/parts/ladder/season";
import { Shown, useLoad } from "~/parts/load";
import { useTitle } from "~/parts/title";

export default function Tournament() {
  const { params } = useRoute();
  const tournament = params.tournament ?? "";
  useTitle(tournament, t("ladder.tournaments"));
  const read = useLoad(
    useCallback((signal: AbortSignal) => arena.getTournament({ tournament }, { signal }), [tournament]),
  );
  return <Shown loaded={read}>{({ tournament: found }) => found !== undefined && <Live read={found} />}</Shown>;
}

function Live({ read }: { read: TournamentMessage }) {
  const tournament = useLiveTournament(read);
  return (
    <>
      <Above />
      <div class="heading">
        <h1>{tournament.name}</h1>
        <TournamentStateTag state={tournament.state} />
      </div>
      <p>
        <Games tournament={tournament} />
        {tournament.definition !== undefined && (
          <span class="quiet">
            {" · "}
            <FormatTerm format={tournament.definition.format} />
          </span>
        )}
      </p>
      <Progress tournament={tournament} />
      <Season tournament={tournament} />
      <Fairness tournament={tournament} />
    </>
  );
}

/** A tournament as it was read, then as it becomes, until it is over. */
function useLiveTournament(read: TournamentMessage): TournamentMessage {
  const [held, setHeld] = useState<{ read: TournamentMessage; now: TournamentMessage }>();
  useEffect(() => {
    if (read.state === TournamentState.CLOSED) return undefined;
    const ending = new AbortController();
    let seen = changesAtLeast({ tournament: read });
    const following = follow({
      open: (signal) => arena.watchTournament({ tournament: read.name, seen }, { signal }),
      take: (message) => {
        seen = message.seen;
        if (message.tournament !== undefined) setHeld({ read, now: message.tournament });
      },
      signal: ending.signal,
    });
    following.catch(() => undefined); // what cannot be followed stays as it was read
    return () => {
      ending.abort();
    };
  }, [read]);
  return held?.read === read ? held.now : read;
}
