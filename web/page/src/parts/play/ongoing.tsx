/** The matches that go on and in which the reader has a seat: the way back to them. */
import { useCallback } from "preact/hooks";
import { matches } from "~/api/matches";
import { type Session, plays } from "~/api/session";
import type { Match } from "~/gen/fudaba/v1/matches_pb";
import { t, time } from "~/i18n";
import { gameName } from "~/parts/games";
import { useLoad } from "~/parts/load";
import { playerName } from "~/parts/match/seats";
import { WithSession } from "~/parts/session";
import { timestampDate } from "@bufbuild/protobuf/wkt";

const MAX_MATCHES = 20;

/** A list of them; nothing where there are none, or while that is not known. */
export function Ongoing({ bot }: { bot: string }) {
  const read = useCallback(
    async (signal: AbortSignal) => (await matches.listMatches({ bot, pageSize: MAX_MATCHES }, { signal })).matches,
    [bot],
  );
  const loaded = useLoad(read);
  const live = loaded.state === "there" ? loaded.value.filter(({ end }) => end === undefined) : [];
  if (live.length === 0) return null;
  return (
    <section class="notice" aria-label={t("play.ongoing")}>
      <p>
        <strong>{t("play.ongoing")}</strong>
      </p>
      <ul class="plain">
        {live.map((match) => (
          <li key={match.header?.matchId}>
            <a href={seatOf(match)}>{title(match, bot)}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** From a match that is watched to the reader's own seat in it, if there is one. */
export function ToSeat({ match }: { match: Match }) {
  return (
    <WithSession>
      {(me) =>
        me !== null && plays(me) && hasSeat(match, me) ? (
          <p class="notice">
            {t("play.yours")}{" "}
            <a class="button main" href={seatOf(match)}>
              {t("play.toSeat")}
            </a>
          </p>
        ) : null
      }
    </WithSession>
  );
}

function hasSeat(match: Match, me: Session): boolean {
  return (match.header?.players ?? []).some(({ bot, version }) => bot === me.bot && version === me.version);
}

function seatOf(match: Match): string {
  return `/play?match=${encodeURIComponent(match.header?.matchId ?? "")}`;
}

/** The game, who else plays, and since when. */
function title({ header }: Match, bot: string): string {
  const others = (header?.players ?? []).filter((player) => player.bot !== bot).map(playerName);
  const begun = header?.createTime === undefined ? "" : time(timestampDate(header.createTime));
  return [gameName(header?.game ?? ""), others.join(t("match.comma")), begun].join(" · ");
}
