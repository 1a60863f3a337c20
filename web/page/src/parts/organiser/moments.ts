/** Times as the command line takes them: `2026-05-01`, `2026-05-01T12:30`, with a zone or, without one, in UTC. */

/** What stands for no time at all is undefined; what is not understood is `wrong`, and never no time. */
export type Moment = { readonly date: Date | undefined } | { readonly wrong: string };

const WRITTEN = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?(Z|[+-]\d{2}:\d{2})?)?$/;

export function moment(text: string): Moment {
  const typed = text.trim();
  if (typed === "") return { date: undefined };
  const read = WRITTEN.exec(typed);
  if (read === null) return { wrong: typed };
  const [, year = "", month = "", day = "", hour = "00", minute = "00", second = "00", zone = "Z"] = read;
  const utc = new Date(Date.UTC(+year, +month - 1, +day, +hour, +minute, +second));
  // What the calendar does not have, such as February 30, is another day there.
  const same = utc.toISOString() === `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return same && !Number.isNaN(date.getTime()) ? { date } : { wrong: typed };
}

/** As the command line takes it. */
export function momentText(date: Date): string {
  return date.toISOString().replace(".000Z", "Z");
}
