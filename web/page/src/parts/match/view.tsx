/** A match by its id: what is there decides how it is shown. */
import { useCallback } from "preact/hooks";
import { matches } from "~/api";
import { inWords } from "~/api/errors";
import { language, t } from "~/i18n";
import { useCall } from "~/parts/match/call";
import { Replayed } from "~/parts/match/replayed";
import { Watched } from "~/parts/match/watched";
import "~/parts/match/match.css";

export function MatchView({ matchId, embedded = false }: { matchId: string; embedded?: boolean }) {
    const read = useCallback((signal: AbortSignal) => matches.getMatch({ matchId }, { signal }), [matchId]);
    const [called, again] = useCall(read);
    if (called.state === "waiting") return <p class="match-quiet">{t("shell.loading")}</p>;
    if (called.state === "failed" || called.value.match === undefined) {
        return (
            <>
                <h1>{t("match.title")}</h1>
                <p role="alert">{called.state === "failed" ? inWords(called.error) : ""}</p>
                <button type="button" onClick={again}>
                    {t("shell.again")}
                </button>
            </>
        );
    }
    const { match } = called.value;
    const key = `${matchId} ${language.value}`; // what happened is told in the reader's language
    if (match.end === undefined) return <Watched key={key} match={match} replay={again} />;
    return <Replayed key={key} match={match} embedded={embedded} />;
}
