/** Maintenance is said above every page. What says it is loaded only when there is some. */
import type { ComponentType } from "preact";
import { useLocation } from "preact-iso";
import { useEffect, useState } from "preact/hooks";
import { type Announced, askMaintenance } from "~/api/maintenance";
import { isBare } from "~/parts/shell";

/** The page comes first. */
const FIRST_MS = 1_000;
const POLL_MS = 60_000;

export function Maintenance() {
  const { path } = useLocation();
  const [shown, setShown] = useState<{ Notice: ComponentType<Announced>; announced: Announced }>();
  useEffect(() => {
    const ending = new AbortController();
    const look = async () => {
      if (document.hidden) return;
      const announced = await askMaintenance(ending.signal);
      const notice = announced && (await (await import("~/parts/maintenance_notice")).load());
      if (!ending.signal.aborted) setShown(announced && notice && { ...notice, announced });
    };
    // While the service is away, what is known stays: it ends by its time.
    const again = () => void look().catch(() => undefined);
    const first = setTimeout(again, FIRST_MS);
    const timer = setInterval(again, POLL_MS);
    document.addEventListener("visibilitychange", again, { signal: ending.signal });
    return () => {
      ending.abort();
      clearTimeout(first);
      clearInterval(timer);
    };
  }, []);
  if (isBare(path)) return null;
  // A screen reader reads what comes into an element that was there before.
  return <div role="status">{shown && <shown.Notice {...shown.announced} />}</div>;
}
