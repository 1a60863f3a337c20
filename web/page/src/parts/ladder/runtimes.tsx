/** What bots are run with that were submitted: the runtimes of the arena's workers, and what is in each. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { allRuntimes } from "~/api/arena";
import type { Runtime } from "~/gen/fudaba/v1/submissions_pb";
import { t, time } from "~/i18n";
import { Shown, useLoad } from "~/parts/load";

export function Runtimes() {
  const read = useLoad(allRuntimes);
  return (
    <Shown loaded={read}>
      {(runtimes) =>
        runtimes.length > 0 && (
          <>
            <h2>{t("ladder.runtimes")}</h2>
            <p class="quiet">{t("ladder.runtimesHow")}</p>
            {runtimes.map((runtime, at) => (
              <Contents key={`${runtime.name} ${String(at)}`} runtime={runtime} />
            ))}
          </>
        )
      }
    </Shown>
  );
}

function Contents({ runtime: { name, version, endTime, ended, packages } }: { runtime: Runtime }) {
  const until = endTime === undefined ? "" : t("ladder.runtimeUntil", { time: time(timestampDate(endTime)) });
  return (
    <details>
      <summary>
        {[name, version, ended ? t("ladder.runtimeEnded") : until].filter((word) => word !== "").join(", ")}
      </summary>
      <p class="quiet">{packages.map((dependency) => `${dependency.name} ${dependency.version}`).join(", ")}</p>
    </details>
  );
}
