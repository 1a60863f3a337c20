/**
 * The maintenance of the service, in which no match begins. It is asked for as JSON: every page asks, and few load the
 * messages of `CatalogService`.
 */
import { READ_MS, inTime } from "~/api/deadlines";
import { FROM_THIS_PAGE } from "~/api/from_this_page";

/** Maintenance that is announced or under way, in milliseconds of this machine's clock. */
export interface Announced {
  readonly beginMs: number;
  readonly endMs: number;
  /** What it is for, in the organiser's words. */
  readonly text: string;
}

interface Answer {
  readonly maintenance?: { readonly beginTime: string; readonly endTime: string; readonly text: string };
  readonly now: string;
}

/** Asks the service; undefined when none is announced. */
export async function askMaintenance(signal: AbortSignal): Promise<Announced | undefined> {
  const headers = { ...FROM_THIS_PAGE, "content-type": "application/json" };
  const answer = await inTime(
    READ_MS,
    (ends) => fetch("/fudaba.v1.CatalogService/GetMaintenance", { method: "POST", headers, body: "{}", signal: ends }),
    signal,
  );
  if (!answer.ok) throw new Error(answer.statusText);
  const { maintenance, now } = (await answer.json()) as Answer;
  if (maintenance === undefined) return undefined;
  const aheadMs = Date.now() - Date.parse(now);
  return {
    beginMs: Date.parse(maintenance.beginTime) + aheadMs,
    endMs: Date.parse(maintenance.endTime) + aheadMs,
    text: maintenance.text,
  };
}
