/** A sentence on each game, in the language that is shown. */
import { useCallback } from "preact/hooks";
import { language } from "~/i18n";
import { loadSentences } from "~/learn/texts";
import { useLoad } from "~/parts/load";

/** By the games' ids; empty until they are there. */
export function useSentences(): Readonly<Record<string, string>> {
  const shown = language.value;
  const read = useLoad(useCallback(() => loadSentences(shown), [shown]));
  return read.state === "there" ? read.value : {};
}
