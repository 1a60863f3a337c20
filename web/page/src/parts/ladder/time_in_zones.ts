/** A time in the reader's zone, with the organiser's beside it where the two clocks differ. */
import { language, time } from "~/i18n";

export function timeInZones(at: Date, zone = ""): string {
  const here = time(at);
  if (zone === "") return here;
  try {
    const there = at.toLocaleString(language.value, { dateStyle: "medium", timeStyle: "short", timeZone: zone });
    return there === here ? here : `${here} (${there}, ${zone})`;
  } catch {
    return here; // the browser does not know the zone
  }
}
