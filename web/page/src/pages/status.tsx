/** The site's status, for strangers: is it here, since when, what is announced, and what is played. */
import { useEffect } from "preact/hooks";
import { type LadderStatus, type Presence, type Status, askStatus, idleReasonOf } from "~/api/status";
import { type MessageKey, number, t, time } from "~/i18n";
import { idleInWords } from "~/parts/ladder/idle";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { Tag, type Tone } from "~/parts/tag";
import { useTitle } from "~/parts/title";

/** The gateway looks no more often than this. */
const LOOK_MS = 15_000;

const STATES: Readonly<Record<Presence["state"], [MessageKey, Tone]>> = {
  there: ["status.there", "good"],
  away: ["status.away", "bad"],
  unknown: ["status.unknown", "plain"],
};
const LADDERS: Readonly<Record<string, MessageKey>> = {
  waiting: "status.ladderWaiting",
  playing: "status.ladderPlaying",
  final: "status.ladderFinal",
  paused: "status.ladderPaused",
  stalled: "status.ladderStalled",
  closed: "status.ladderClosed",
};

export default function StatusPage() {
  useTitle(t("shell.status"));
  const loaded = useLoad(askStatus);
  const again = loaded.state === "loading" ? undefined : loaded.again;
  useEffect(() => {
    if (again === undefined) return undefined;
    const look = () => {
      if (!document.hidden) again();
    };
    const timer = setInterval(look, LOOK_MS);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [again]);
  return (
    <article>
      <h1>{t("shell.status")}</h1>
      <Shown loaded={loaded}>{(status) => <Seen status={status} />}</Shown>
    </article>
  );
}

function Seen({ status }: { status: Status }) {
  const { service, arena, ladders, matchesCounted, lastResultTime } = status;
  return (
    <>
      <p role="status">
        <strong>{t(overall(status))}</strong>
      </p>
      <table>
        <tbody>
          <Server name={t("status.service")} presence={service} />
          {arena !== null && <Server name={t("status.arena")} presence={arena} />}
        </tbody>
      </table>
      <h2>{t("status.maintenance")}</h2>
      <p>{maintenanceInWords(status)}</p>
      {arena !== null && (
        <>
          <h2>{t("shell.ladders")}</h2>
          {ladders === null ? (
            <p>{t("status.laddersUnknown")}</p>
          ) : ladders.length === 0 ? (
            <Nothing />
          ) : (
            <ul class="entries">
              {ladders.map((ladder) => (
                <LadderLine key={ladder.name} ladder={ladder} />
              ))}
            </ul>
          )}
          {matchesCounted !== null && (
            <p>
              {t("status.counted", { count: matchesCounted, number: number(matchesCounted) })}{" "}
              {lastResultTime !== null && t("status.lastResult", { time: time(new Date(lastResultTime)) })}
            </p>
          )}
        </>
      )}
      <p class="quiet small">
        {t("status.lookedAt", { time: time(new Date(status.now)), version: status.version })}{" "}
        <a href="/status.json" target="_top">
          {t("status.json")}
        </a>
      </p>
    </>
  );
}

/** What a visitor has to know first. */
function overall({ service, arena, maintenance, now }: Status): MessageKey {
  if (service.state === "away") return "status.serviceAway";
  if (arena?.state === "away") return "status.arenaAway";
  if (service.state === "unknown" || arena?.state === "unknown") return "status.notYetKnown";
  const isUnderWay = maintenance !== null && maintenance.beginTime <= now && now < maintenance.endTime;
  return isUnderWay ? "status.maintained" : "status.allHere";
}

function Server({ name, presence }: { name: string; presence: Presence }) {
  const [state, tone] = STATES[presence.state];
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <Tag tone={tone}>{t(state)}</Tag>
      </td>
      <td>
        {presence.since !== null &&
          t(presence.sinceAtLeast ? "status.sinceAtLeast" : "status.since", { time: time(new Date(presence.since)) })}
      </td>
    </tr>
  );
}

function maintenanceInWords({ maintenance, now }: Status): string {
  if (maintenance === null || maintenance.endTime <= now) return t("status.noMaintenance");
  const [from, until] = [maintenance.beginTime, maintenance.endTime].map((at) => time(new Date(at)));
  const { text } = maintenance;
  return now < maintenance.beginTime
    ? t("status.announced", { from: from ?? "", until: until ?? "", text })
    : t("status.underWay", { until: until ?? "", text });
}

function LadderLine({ ladder }: { ladder: LadderStatus }) {
  return (
    <li class="row">
      <a href={`/ladders/${encodeURIComponent(ladder.name)}`}>{ladder.name}</a>
      <span>{playInWords(ladder)}</span>
      {ladder.workers > 0 && <span class="quiet">{t("status.workers", { count: ladder.workers })}</span>}
    </li>
  );
}

/** What a ladder plays, or why it plays nothing. */
function playInWords({ state, matchesPlaying, idleReason, idleBecause = "" }: LadderStatus): string {
  if (matchesPlaying > 0) return t("status.playing", { count: matchesPlaying });
  if (idleReason === undefined) return t(LADDERS[state] ?? "status.ladderPlaying");
  return idleInWords({
    idleReason: idleReasonOf(idleReason),
    idleBecause,
  });
}
