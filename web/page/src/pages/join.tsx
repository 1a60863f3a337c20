/** Where an invitation link leads: what it is for, whether the seat is free, and the way into it. */
import { Code, ConnectError } from "@connectrpc/connect";
import { useRoute } from "preact-iso";
import { useCallback } from "preact/hooks";
import { matches } from "~/api/matches";
import { reasonOf } from "~/api/reasons";
import { type GetInvitationResponse, type Match, MatchState } from "~/gen/fudaba/v1/matches_pb";
import { type Session, plays } from "~/api/session";
import { t } from "~/i18n";
import { gameName } from "~/parts/games";
import { Failed, Loading, useLoad } from "~/parts/load";
import { clockWords } from "~/parts/match/heading";
import { OtherUse, TakeSeat } from "~/parts/play/take_seat";
import { WithSession } from "~/parts/session";
import { useTitle } from "~/parts/title";
import "~/parts/match/match.css";

// Numbers of `AbortCause`: the enumeration itself would come with the start page, too.
const ORGANISER_CAUSE = 2;
const CALLED_OFF_CAUSE = 4;
const NOT_JOINED_CAUSE = 5;

export default function Join() {
  useTitle(t("play.joinTitle"));
  const code = useRoute().params.code ?? "";
  const read = useCallback(
    async (signal: AbortSignal) => {
      try {
        return await matches.getInvitation({ invitationCode: code }, { signal });
      } catch (error) {
        if (ConnectError.from(error).code === Code.Unimplemented) return undefined; // a service of an older release
        throw error;
      }
    },
    [code],
  );
  const loaded = useLoad(read);
  return (
    <>
      <h1>{t("play.joinTitle")}</h1>
      {loaded.state === "loading" && <Loading />}
      {loaded.state === "failed" && (
        <>
          <Failed error={loaded.error} again={loaded.again} />
          {reasonOf(loaded.error) === "INVITATION_NOT_FOUND" && <OtherUse code={code} />}
        </>
      )}
      {loaded.state === "there" && <Shown code={code} invitation={loaded.value} />}
    </>
  );
}

function Shown({ code, invitation }: { code: string; invitation: GetInvitationResponse | undefined }) {
  const take = (
    <>
      <p>{t("play.joinExplained")}</p>
      <TakeSeat by={{ case: "invitationCode", value: code }} />
    </>
  );
  const match = invitation?.match;
  const header = match?.header;
  if (invitation === undefined || header === undefined) return take;
  const aborted = abortedWords(match);
  return (
    <>
      <dl class="play-invited">
        <dt>{t("match.game")}</dt>
        <dd>
          <a href={`/games/${header.game}`}>{gameName(header.game)}</a>
        </dd>
        {invitation.inviter !== "" && (
          <>
            <dt>{t("play.inviter")}</dt>
            <dd>{invitation.inviter}</dd>
          </>
        )}
        {header.clock !== undefined && (
          <>
            <dt>{t("play.time")}</dt>
            <dd>{clockWords(header.clock)}</dd>
          </>
        )}
        {aborted === undefined && (
          <>
            <dt>{t("play.yourSeat")}</dt>
            <dd>
              {t("play.seatOf", { number: invitation.seat + 1, count: header.players.length })}{" "}
              {t(invitation.taken ? "play.seatTaken" : "play.seatFree")}
            </dd>
          </>
        )}
      </dl>
      {aborted !== undefined ? (
        <p role="status">{aborted}</p>
      ) : invitation.taken ? (
        <Taken invitation={invitation} />
      ) : (
        take
      )}
    </>
  );
}

/** Why nobody plays a match that was given up; undefined for another one. */
function abortedWords(match: Match | undefined): string | undefined {
  if (match?.state !== MatchState.ABORTED) return undefined;
  const cause: number | undefined = match.end?.abortCause;
  switch (cause) {
    case NOT_JOINED_CAUSE:
      return t("play.joinTooLate");
    case CALLED_OFF_CAUSE:
    case ORGANISER_CAUSE:
      return t("play.joinCalledOff");
    default:
      return t("match.endAborted");
  }
}

/** Whoever took the seat goes on in it; others cannot. */
function Taken({ invitation: { match, seat } }: { invitation: GetInvitationResponse }) {
  const player = match?.header?.players[seat];
  const isMine = (me: Session | null) => me !== null && plays(me) && me.bot === player?.bot;
  return (
    <WithSession>
      {(me) =>
        isMine(me) ? (
          <a class="button main" href={`/play?match=${encodeURIComponent(match?.header?.matchId ?? "")}`}>
            {t("play.toSeat")}
          </a>
        ) : (
          <p role="status">{t("play.joinTaken")}</p>
        )
      }
    </WithSession>
  );
}
