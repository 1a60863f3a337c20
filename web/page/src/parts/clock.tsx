/** A clock that runs down: what is left of a decision's time, its bank included. */
import { useEffect, useState } from "preact/hooks";
import { t } from "~/i18n";

/** Minutes and seconds, and tenths in the last ten seconds. */
export function clockText(ms: number): string {
  const left = Math.max(0, ms);
  if (left < 10_000) return (Math.floor(left / 100) / 10).toFixed(1);
  const seconds = Math.floor(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** What is left until `deadline`, on the clock of `performance.now()`; from `bankMs` on, the bank is used up. */
export function Clock({ deadline, bankMs }: { deadline: number; bankMs: number }) {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(performance.now());
    }, 100);
    return () => {
      clearInterval(timer);
    };
  }, [deadline]);
  const left = deadline - now;
  const hurry = left < 10_000 ? " is-short" : "";
  return (
    <span class={`clock${hurry}`} role="timer" aria-label={t("play.clock")}>
      {clockText(left)}
      {left < bankMs && <small> {t("play.clockBank")}</small>}
    </span>
  );
}
