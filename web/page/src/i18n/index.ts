/** Texts in the reader's language, from one catalogue. A page loads those that it needs, in the language that is shown. */
import { computed, signal } from "@preact/signals";
import type { MessageKey } from "~/i18n/keys";
import { keep, kept } from "~/kept";

export type { MessageKey };
export type Language = "en" | "ja";
/** Some of the texts. */
type Texts = Readonly<Partial<Record<MessageKey, string>>>;

/** The files by their paths: what the first view needs is one of each language, `index.ts`. */
const FILES = import.meta.glob<Texts>(
  ["./{en,ja}/**/*.ts", "!./*/{common,shell,site,reasons}.ts", "!./*/boards/{french,kamikisen}.ts"],
  {
    import: "texts",
  },
);
const KEPT = "language";

/** The languages with their own names. */
export const LANGUAGES: readonly [Language, string][] = [
  ["en", "English"],
  ["ja", "日本語"],
];
/** The language that is shown; what reads it is drawn anew when it changes. */
export const language = signal<Language>("en");
const texts = signal<Texts>({});
/** The files that were asked for, which another language has to have, too; and those of them whose texts are there. */
const needed = new Set(["index"]);
const held = new Set<string>();

/** The language that the reader chose here before, or else the browser's first that we have. */
export function preferredLanguage(): Language {
  const chosen = kept("browser", KEPT);
  const wanted = [chosen, ...navigator.languages].map((tag) => tag?.slice(0, 2));
  return wanted.find((tag): tag is Language => tag === "en" || tag === "ja") ?? "en";
}

/** Loads a language and shows it. */
export async function loadLanguage(wanted: Language): Promise<void> {
  let [parts, loaded]: [string[], Texts[]] = [[], []];
  while (parts.length < needed.size) {
    parts = [...needed]; // a page that is opened meanwhile adds to them
    loaded = await Promise.all(parts.map((part) => read(wanted, part)));
  }
  texts.value = Object.assign({}, ...loaded) as Texts;
  for (const part of parts) held.add(part);
  language.value = wanted;
  loadRefusals(wanted).catch(() => undefined); // refusals are in English then
  document.documentElement.lang = wanted;
}

/** Refusals by their reasons, in a language that is not that of the services; loaded beside what is shown. */
const REFUSALS = import.meta.glob<Readonly<Record<string, string>>>("./ja/reasons.ts", { import: "texts" });
const refusals = signal<Readonly<Record<string, string>>>({});

/** What a refusal says by its reason, such as "MATCH_OVER"; undefined in English, which services speak themselves. */
export function refusal(reason: string): string | undefined {
  return refusals.value[`reason.${reason}`];
}

async function loadRefusals(wanted: Language): Promise<void> {
  const loaded = (await REFUSALS[`./${wanted}/reasons.ts`]?.()) ?? {};
  if (wanted === language.value) refusals.value = loaded;
}

/** Loads files of the catalogue, such as `ladder` or `boards/naga`, in the language that is shown and, later, any other. */
export async function loadTexts(...parts: readonly string[]): Promise<void> {
  for (const part of parts) needed.add(part);
  for (;;) {
    const missing = parts.filter((part) => !held.has(part));
    if (missing.length === 0) return;
    const shown = language.value;
    const loaded = await Promise.all(missing.map((part) => read(shown, part)));
    if (shown !== language.value) continue; // the reader has chosen another one meanwhile
    texts.value = Object.assign({}, texts.value, ...loaded) as Texts;
    for (const part of missing) held.add(part);
  }
}

async function read(wanted: Language, part: string): Promise<Texts> {
  const load = FILES[`./${wanted}/${part}.ts`];
  if (load === undefined) throw new Error(`the catalogue has no file ${part}`);
  return await load();
}

/** The reader chooses a language; it is kept in this browser. */
export async function chooseLanguage(wanted: Language): Promise<void> {
  keep("browser", KEPT, wanted);
  await loadLanguage(wanted);
}

/**
 * A text of the catalogue, with the values of its places: `t("match.moves", { count: 3 })`. Of `{count|move|moves}` the
 * first is said where the number takes the singular. Of `{name|leads|lead}` the second is said where the name is "You",
 * and the first of everybody else.
 */
export function t(key: MessageKey, values: Record<string, string | number> = {}): string {
  const text = texts.value[key] ?? key;
  const you = texts.value["match.yourself"];
  return text.replace(PLACE, (place: string, name: string, first: string | undefined, second: string, at: number) => {
    const value = values[name];
    if (value === undefined) return place;
    if (first !== undefined) return (typeof value === "number" ? !isSingular(value) : value === you) ? second : first;
    if (typeof value === "number") return number(value);
    return value === you && WITHIN.test(text.slice(0, at)) ? value.toLowerCase() : value;
  });
}

const PLACE = /\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g;
/** What stands before a place within a sentence. */
const WITHIN = /[^.:!?]\s$/;

const plurals = computed(() => new Intl.PluralRules(language.value));
const isSingular = (count: number) => plurals.value.select(count) === "one";

/** Making one takes far longer than using it, and a table has hundreds of numbers and times. */
const formats = new Map<string, Intl.NumberFormat>();
const timeFormats = new Map<Language, Intl.DateTimeFormat>();

/** A number as the language writes it. */
export function number(value: number, digits = 0): string {
  const name = `${language.value} ${digits}`;
  let format = formats.get(name);
  if (format === undefined) {
    format = new Intl.NumberFormat(language.value, { maximumFractionDigits: digits, minimumFractionDigits: digits });
    formats.set(name, format);
  }
  return format.format(value);
}

/** A time as the language writes it, in the reader's zone. */
export function time(value: Date): string {
  let format = timeFormats.get(language.value);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(language.value, { dateStyle: "medium", timeStyle: "short" });
    timeFormats.set(language.value, format);
  }
  return format.format(value);
}
