/** The workers: what each plays, and why one is stopped; and the runtimes that they have for submissions. */
import { durationMs, timestampDate } from "@bufbuild/protobuf/wkt";
import { allRuntimes, arena } from "~/api/arena";
import { type Worker, WorkerState, WorkerStopCause } from "~/gen/fudaba/v1/arena_pb";
import type { Runtime } from "~/gen/fudaba/v1/submissions_pb";
import { type MessageKey, number, t, time } from "~/i18n";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { CommandLine } from "~/parts/organiser/command_line";
import { Tag, type Tone } from "~/parts/tag";

/** A clock that is off by more is worth a word. */
const MAX_CLOCK_MS = 1_000;

const STATES: Partial<Record<WorkerState, readonly [MessageKey, Tone]>> = {
  [WorkerState.PLAYING]: ["organiser.workerPlaying", "good"],
  [WorkerState.STOPPED]: ["organiser.workerStopped", "bad"],
  [WorkerState.DEAD]: ["organiser.workerDead", "bad"],
};

const allWorkers = async (signal: AbortSignal) => (await arena.listWorkers({}, { signal })).workers;

export function Workers() {
  const workers = useLoad(allWorkers);
  const runtimes = useLoad(allRuntimes);
  return (
    <section>
      <h2>{t("organiser.allWorkers")}</h2>
      <Shown loaded={workers}>
        {(found) =>
          found.length === 0 ? (
            <Nothing>{t("organiser.noWorkersAtAll")}</Nothing>
          ) : (
            <ul class="entries" aria-label={t("organiser.allWorkers")}>
              {found.map((worker) => (
                <li key={worker.name}>
                  <WorkerLine worker={worker} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      <CommandLine lines={[["fudaba", "arena", "workers"]]} />
      <h2>{t("organiser.workers")}</h2>
      <Shown loaded={runtimes}>
        {(found) =>
          found.length === 0 ? (
            <Nothing>{t("organiser.noWorkers")}</Nothing>
          ) : (
            <ul class="entries">
              {found.map((runtime, at) => (
                <li class="row" key={at}>
                  <RuntimeLine runtime={runtime} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}

function WorkerLine({ worker }: { worker: Worker }) {
  const [state, tone] = STATES[worker.state] ?? ["organiser.workerUnknown", "plain"];
  const ahead = worker.clockAhead === undefined ? 0 : durationMs(worker.clockAhead);
  const silent = worker.silence === undefined ? 0 : durationMs(worker.silence);
  return (
    <>
      <span class="row">
        <strong>{worker.name}</strong>
        <Tag tone={tone}>{t(state)}</Tag>
        <span class="quiet">
          {t("organiser.workerLoad", {
            blocks: worker.blocks,
            maxBlocks: worker.maxBlocks,
            seats: worker.seats,
            maxSeats: worker.maxSeats,
          })}
        </span>
        {worker.state === WorkerState.DEAD && (
          <span class="quiet">{t("organiser.workerSilent", { seconds: Math.round(silent / 1000) })}</span>
        )}
        {Math.abs(ahead) > MAX_CLOCK_MS && (
          <span class="bad">
            {t(ahead > 0 ? "organiser.clockAhead" : "organiser.clockBehind", {
              seconds: number(Math.abs(ahead) / 1000, 1),
            })}
          </span>
        )}
      </span>
      {worker.message !== "" && <WhyStopped worker={worker} />}
    </>
  );
}

function WhyStopped({ worker }: { worker: Worker }) {
  const { stopCause, longest } = worker;
  if (stopCause === WorkerStopCause.LATE)
    return (
      <p>
        {t("organiser.workerLate", {
          late: worker.lateSeconds,
          seen: worker.seenSeconds,
          longest: number(longest === undefined ? 0 : durationMs(longest) / 1000, 1),
        })}
      </p>
    );
  const key: MessageKey =
    stopCause === WorkerStopCause.HOST
      ? "organiser.workerHost"
      : stopCause === WorkerStopCause.UNREADABLE
        ? "organiser.workerUnreadable"
        : "organiser.workerOther";
  return (
    <>
      <p>{t(key)}</p>
      <pre lang="en" tabIndex={0} aria-label={t(key)}>
        {worker.message}
      </pre>
    </>
  );
}

function RuntimeLine({ runtime }: { runtime: Runtime }) {
  return (
    <>
      <strong>{runtime.name}</strong>
      <span class="quiet">
        {t("organiser.onWorkers", { count: runtime.workers, workers: number(runtime.workers) })}
      </span>
      {runtime.endTime !== undefined && (
        <span class={runtime.ended ? "bad" : "quiet"}>
          {t("organiser.ends", { time: time(timestampDate(runtime.endTime)) })}
        </span>
      )}
    </>
  );
}
