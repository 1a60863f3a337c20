/**
 * What teaches a game: a sentence, a minute of five steps, and a reference card, in each language. The texts stand in
 * `en` and `ja`; what both share, pictures and numbers, in `facts`. A test of the rules reads the same files
 * (`tests/games/test_learning_texts.py`).
 */
import { type Language, loadTexts } from "~/i18n";

/** Cards that belong together in a picture, as texts write them: "D7 MI", "3C 5D", "r7 bS"; `--` is a back. */
export interface Group {
  readonly cards: string;
  readonly mark?: "wins" | "loses";
}

interface Facts {
  /** What the places of the texts stand for: `{hand}`. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Of each step. */
  readonly pictures: readonly (readonly Group[])[];
}

export interface Step {
  readonly title: string;
  readonly text: string;
  /** Of each group of its picture. */
  readonly captions: readonly string[];
}

export interface Section {
  readonly title: string;
  /** A word and what it means. */
  readonly rows: readonly (readonly [string, string])[];
}

interface Words {
  readonly steps: readonly Step[];
  readonly reference: readonly Section[];
}

export interface Lesson extends Words {
  readonly pictures: Facts["pictures"];
}

const WORDS = import.meta.glob<Words>(["./{en,ja}/*.json", "!./*/sentences.json"], { import: "default" });
const FACTS = import.meta.glob<Facts>(["./facts/*.json", "!./facts/covers.json"], { import: "default" });
const SENTENCES = import.meta.glob<Record<string, string>>("./{en,ja}/sentences.json", { import: "default" });

/** What teaches a game; undefined of one that this page does not know. */
export async function loadLesson(game: string, language: Language): Promise<Lesson | undefined> {
  const [words, facts] = [WORDS[`./${language}/${game}.json`], FACTS[`./facts/${game}.json`]];
  if (words === undefined || facts === undefined) return undefined;
  const [{ steps, reference }, { numbers, pictures }] = await Promise.all([
    words(),
    facts(),
    loadTexts("learn", `boards/${game}`), // the cards' names
  ]);
  return {
    pictures,
    steps: steps.map((step) => ({ ...step, text: filled(step.text, numbers) })),
    reference: reference.map(({ title, rows }) => ({
      title: filled(title, numbers),
      rows: rows.map(([word, meaning]) => [filled(word, numbers), filled(meaning, numbers)] as const),
    })),
  };
}

/** A sentence on each game, by its id. */
export async function loadSentences(language: Language): Promise<Record<string, string>> {
  return (await SENTENCES[`./${language}/sentences.json`]?.()) ?? {};
}

/** A text with its numbers in their places. */
export function filled(text: string, numbers: Readonly<Record<string, number>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => numbers[name]?.toString() ?? place);
}
