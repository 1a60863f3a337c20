/** What is said of maintenance above every page, until it is over. */
import { useEffect, useState } from "preact/hooks";
import type { Announced } from "~/api/maintenance";
import { loadTexts, t, time } from "~/i18n";
import "~/parts/maintenance_notice.css";

const DAY_MS = 86_400_000;
/** How long before it begins it is said. */
const AHEAD_MS = 7 * DAY_MS;

/** This, once its texts are there. */
export async function load() {
  await loadTexts("maintenance");
  return { Notice };
}

function Notice({ beginMs, endMs, text }: Announced) {
  const [now, setNow] = useState(Date.now);
  const next = [beginMs - AHEAD_MS, beginMs, endMs].find((at) => at > now);
  useEffect(() => {
    if (next === undefined) return undefined;
    const timer = setTimeout(
      () => {
        setNow(Date.now());
      },
      Math.min(DAY_MS, next - now),
    );
    return () => {
      clearTimeout(timer);
    };
  }, [next, now]);
  if (now >= endMs || now < beginMs - AHEAD_MS) return null;
  const [from, until] = [time(new Date(beginMs)), time(new Date(endMs))];
  return (
    <div class="notice warn maintenance">
      <strong>
        {now < beginMs ? t("maintenance.announced", { from, until }) : t("maintenance.underWay", { until })}
      </strong>{" "}
      <span>{text}</span>
      <br />
      {t("maintenance.effect")}
    </div>
  );
}
