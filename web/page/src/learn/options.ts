/**
 * Options of the games in the reader's words, in the order in which players want them. The texts stand in `options`; a
 * test of the rules has every option among them (`tests/games/test_learning_options.py`).
 */
import { useCallback } from "preact/hooks";
import type { Option } from "~/gen/fudaba/v1/catalog_pb";
import { type Language, language } from "~/i18n";
import { useLoad } from "~/parts/load";

export interface OptionWords {
  readonly name: string;
  readonly means: string;
  /** By the value, where it is one of a few words. */
  readonly choices?: Readonly<Record<string, string>>;
}

interface Entry extends OptionWords {
  readonly games: readonly string[];
  readonly option: string;
}

const ENTRIES = import.meta.glob<readonly Entry[]>("./options/{en,ja}.json", { import: "default" });

/** The words of a game's options, by their names. An option that this page does not know has none. */
export async function loadOptions(game: string, shown: Language): Promise<ReadonlyMap<string, OptionWords>> {
  const entries = (await ENTRIES[`./options/${shown}.json`]?.()) ?? [];
  return new Map(entries.filter(({ games }) => games.includes(game)).map((entry) => [entry.option, entry]));
}

const NONE: ReadonlyMap<string, OptionWords> = new Map();

/** In the language that is shown; empty until they are there. */
export function useOptions(game: string): ReadonlyMap<string, OptionWords> {
  const shown = language.value;
  const read = useLoad(useCallback(() => loadOptions(game, shown), [game, shown]));
  return read.state === "there" ? read.value : NONE;
}

/** Options in the order of their words, and then those that have none. */
export function inOrder(options: readonly Option[], words: ReadonlyMap<string, OptionWords>): Option[] {
  const names = [...words.keys()];
  const place = ({ name }: Option) => (words.has(name) ? names.indexOf(name) : names.length);
  return options.toSorted((left, right) => place(left) - place(right));
}
