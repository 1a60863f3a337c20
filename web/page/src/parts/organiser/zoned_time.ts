/** Deadlines as a ladder's file has them: `2026-12-01 18:00 Europe/Berlin`, or with an offset from UTC. */
import { t } from "~/i18n";
import { moment, momentText } from "~/parts/organiser/moments";

/** What stands for no time at all has no date; `wrong` says why a text is no time, and what to write. */
export type ZonedTime =
  { readonly date: Date | undefined; readonly zone: string; readonly text: string } | { readonly wrong: string };

const WRITTEN = /^(\S+[T ]\d{2}:\d{2}(?::\d{2})?) *(Z|[+-]\d{2}:\d{2})? +([A-Za-z][A-Za-z0-9_+/-]*)$/;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export function zonedTime(typed: string): ZonedTime {
  const written = WRITTEN.exec(typed.trim());
  if (written === null) {
    const read = moment(typed);
    if ("wrong" in read) return { wrong: t("organiser.momentWrong", { text: read.wrong }) };
    return { date: read.date, zone: "", text: read.date === undefined ? "" : momentText(read.date) };
  }
  const [text = "", local = "", offset, zone = ""] = written;
  const read = moment(`${local}${offset ?? "Z"}`);
  if ("wrong" in read || read.date === undefined) return { wrong: t("organiser.momentWrong", { text }) };
  const clock = clockOf(zone);
  if (clock === undefined) return { wrong: t("organiser.zoneUnknown", { zone }) };
  if (offset === undefined) return inZone(read.date.getTime(), text, zone, clock);
  return clock(read.date.getTime()) === momentMs(`${local}Z`)
    ? { date: read.date, zone, text }
    : { wrong: t("organiser.offsetWrong", { text, zone, time: shown(clock(read.date.getTime())) }) };
}

/** What a clock shows at a time, both in milliseconds, as if the clock were in UTC. */
type Clock = (at: number) => number;

function clockOf(zone: string): Clock | undefined {
  let format: Intl.DateTimeFormat;
  try {
    const fields = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
    format = new Intl.DateTimeFormat("en", { ...fields, second: "2-digit", hourCycle: "h23", timeZone: zone });
  } catch {
    return undefined; // the browser knows no such zone
  }
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
}

/** A local time is in a zone once, twice where its clocks are put back, or never where they are put forward. */
function inZone(local: number, text: string, zone: string, clock: Clock): ZonedTime {
  const offset = (at: number) => clock(at) - at;
  const offsets = [offset(local - DAY_MS), offset(local + DAY_MS)] as const;
  const times = [...new Set(offsets)].map((ofDay) => local - ofDay).filter((at) => clock(at) === local);
  const [first, second] = times;
  if (first !== undefined && second === undefined) return { date: new Date(first), zone, text };
  if (first !== undefined) {
    const [before, after] = offsets.map((ofDay) => `${shown(local)}${offsetText(ofDay)} ${zone}`);
    return { wrong: t("organiser.momentTwice", { text, first: before ?? "", second: after ?? "" }) };
  }
  let [low, high] = [local - DAY_MS, local + DAY_MS];
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offset(middle) === offsets[0]) low = middle;
    else high = middle;
  }
  const [before, after] = [`${shown(clock(low))} ${zone}`, `${shown(clock(high))} ${zone}`];
  return { wrong: t("organiser.momentSkipped", { text, before, after }) };
}

function momentMs(text: string): number {
  const read = moment(text);
  return "wrong" in read ? NaN : (read.date?.getTime() ?? NaN);
}

function shown(clock: number): string {
  return new Date(clock).toISOString().slice(0, 16).replace("T", " ");
}

function offsetText(offset: number): string {
  const minutes = Math.abs(offset) / MINUTE_MS;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"));
  return `${offset < 0 ? "-" : "+"}${hours ?? ""}:${rest ?? ""}`;
}
