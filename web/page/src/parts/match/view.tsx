/** A match by its id: what is there decides how it is shown. */
import { useCallback } from "preact/hooks";
import { matches } from "~/api/matches";
import { language } from "~/i18n";
import { Shown, useLoad } from "~/parts/load";
import { Replayed } from "~/parts/match/replayed";
import { Watched } from "~/parts/match/watched";
import "~/parts/match/match.css";

export function MatchView({ matchId, embedded = false }: { matchId: string; embedded?: boolean }) {
  const read = useCallback((signal: AbortSignal) => matches.getMatch({ matchId }, { signal }), [matchId]);
  const key = `${matchId} ${language.value}`; // what happened is told in the reader's language
  return (
    <Shown of={useLoad(read)}>
      {({ match }, again) => {
        if (match === undefined) return null;
        if (match.end === undefined) return <Watched key={key} match={match} replay={again} />;
        return <Replayed key={key} match={match} embedded={embedded} />;
      }}
    </Shown>
  );
}
