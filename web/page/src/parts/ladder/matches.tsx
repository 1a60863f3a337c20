/** A short list of matches. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { number, t, time } from "~/i18n";
import { gameName } from "~/parts/games";
import { Nothing } from "~/parts/load";
import { ShowResults, resultsShown } from "~/parts/match/results";
import { HiddenTag } from "~/parts/match/shown_later";
import { Tag } from "~/parts/tag";

export function MatchList({ matches, caption }: { matches: readonly Match[]; caption: string }) {
  if (matches.length === 0) return <Nothing>{t("ladder.noMatches")}</Nothing>;
  return (
    <>
      <ShowResults />
      <MatchTable matches={matches} caption={caption} />
    </>
  );
}

function MatchTable({ matches, caption }: { matches: readonly Match[]; caption: string }) {
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t("ladder.match")}</th>
            <th scope="col">{t("ladder.players")}</th>
            <th scope="col">{t("ladder.began")}</th>
          </tr>
        </thead>
        <tbody>
          {matches.map((match) => (
            <Line key={match.header?.matchId ?? ""} match={match} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({ match }: { match: Match }) {
  const header = match.header;
  const began = beginOf(match);
  return (
    <tr>
      <th scope="row">
        <a href={`/matches/${header?.matchId ?? ""}`}>{gameName(header?.game ?? "")}</a> <State match={match} />
      </th>
      <td>
        {header?.players.map((player, seat) => (
          <span key={seat} class="player">
            {seat > 0 && <span class="quiet"> – </span>}
            {player.bot === "" ? (
              "?"
            ) : (
              <a class="plain" href={`/bots/${player.bot}`}>
                {player.bot}
              </a>
            )}
            {resultsShown.value && <Score score={match.end?.outcome?.scores[seat]} />}
          </span>
        ))}
      </td>
      <td class="quiet nowrap">{began === undefined ? "–" : time(began)}</td>
    </tr>
  );
}

function Score({ score }: { score: number | undefined }) {
  return score === undefined ? null : (
    <span class="quiet"> {score > 0 ? `+${number(score)}` : score < 0 ? `−${number(-score)}` : "0"}</span>
  );
}

function State({ match }: { match: Match }) {
  const { hidden, state } = match;
  if (hidden) return <HiddenTag match={match} />;
  if (state === MatchState.PLAYING) return <Tag tone="live">{t("ladder.live")}</Tag>;
  if (state === MatchState.ABORTED) return <Tag>{t("ladder.aborted")}</Tag>;
  if (state === MatchState.WAITING || state === MatchState.OPEN) return <Tag>{t("ladder.waiting")}</Tag>;
  return null;
}

/** When a match began, or else was created. */
function beginOf(match: Match): Date | undefined {
  const began = match.startTime ?? match.header?.createTime;
  return began === undefined ? undefined : timestampDate(began);
}
