/** A match, found by its id, and ended without a result. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useCallback, useState } from "preact/hooks";
import { matches } from "~/api/matches";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { t, time } from "~/i18n";
import { Act } from "~/parts/enter/act";
import { gameName } from "~/parts/games";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { CommandLine } from "~/parts/organiser/command_line";
import { Searched } from "~/parts/organiser/search";

/** As many characters as the service takes. */
const MAX_REASON = 200;

export function Aborting() {
  return (
    <Searched label={t("organiser.searchMatch")}>
      {(id) => (id === "" ? <p class="quiet">{t("organiser.matchesIntro")}</p> : <Found key={id} id={id} />)}
    </Searched>
  );
}

function Found({ id }: { id: string }) {
  const read = useLoad(useCallback((signal: AbortSignal) => matches.getMatch({ matchId: id }, { signal }), [id]));
  return (
    <Shown loaded={read}>
      {({ match }, again) => (match === undefined ? <Nothing /> : <Shape id={id} match={match} again={again} />)}
    </Shown>
  );
}

function Shape({ id, match, again }: { id: string; match: Match; again: () => void }) {
  const [reason, setReason] = useState("");
  const { header, state, startTime } = match;
  const over = state === MatchState.FINISHED || state === MatchState.ABORTED;
  const players = header?.players.map(({ bot, version }) => (version === "" ? bot : `${bot}@${version}`)) ?? [];
  const values = { game: gameName(header?.game ?? ""), bots: players.join(", "), seats: players.length };
  const why = reason.trim();
  return (
    <section class="sheet">
      <p class="row">
        <a href={`/matches/${encodeURIComponent(id)}`}>{id}</a>
        <span>{t("organiser.matchOf", values)}</span>
        {startTime !== undefined && <span class="quiet">{time(timestampDate(startTime))}</span>}
      </p>
      {over ? (
        <p>{t("organiser.matchOver")}</p>
      ) : (
        <div class="form">
          <label>
            {t("organiser.abortReason")}
            <input
              value={reason}
              maxLength={MAX_REASON}
              onInput={(event) => {
                setReason(event.currentTarget.value);
              }}
            />
          </label>
          {why !== "" && (
            <>
              <Act
                key={why}
                confirm={t("organiser.abortSure", values)}
                act={() => matches.abortMatch({ matchId: id, message: why })}
                done={again}
              >
                {t("organiser.abort")}
              </Act>
              <CommandLine lines={[["fudaba", "match", "abort", id, "--message", why]]} />
            </>
          )}
        </div>
      )}
    </section>
  );
}
