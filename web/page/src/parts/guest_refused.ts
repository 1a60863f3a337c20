/** Why somebody cannot become a guest, in words. */
import { inWords } from "~/api/errors";
import { reasonOf } from "~/api/reasons";
import { loadTexts, t } from "~/i18n";

/** The refusal in words; an address may only have so many guests in an hour, for which the texts are loaded then. */
export async function guestRefused(error: unknown): Promise<string> {
  if (reasonOf(error) !== "QUOTA_EXCEEDED") return inWords(error);
  try {
    await loadTexts("late");
  } catch {
    return inWords(error); // the network has gone meanwhile
  }
  return t("late.guestsFull");
}
