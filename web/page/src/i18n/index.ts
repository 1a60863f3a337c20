/** Texts in the reader's language, from one catalogue. Each language is a part that is loaded when it is chosen. */
import { signal } from "@preact/signals";
import type { Messages } from "~/i18n/en";

export type Language = "en" | "ja";
/** The catalogue's keys: `part.name`. */
export type MessageKey = keyof Messages;

const CATALOGUES: Record<Language, () => Promise<{ messages: Messages }>> = {
  en: () => import("~/i18n/en"),
  ja: () => import("~/i18n/ja"),
};
const KEPT = "language";

/** The languages with their own names. */
export const LANGUAGES: readonly [Language, string][] = [
  ["en", "English"],
  ["ja", "日本語"],
];
/** The language that is shown; what reads it is drawn anew when it changes. */
export const language = signal<Language>("en");
const messages = signal<Messages | undefined>(undefined);

/** The language that the reader chose here before, or else the browser's first that we have. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(KEPT);
  const wanted = [chosen, ...navigator.languages].map((tag) => tag?.slice(0, 2));
  return wanted.find((tag): tag is Language => tag === "en" || tag === "ja") ?? "en";
}

/** Loads a language and shows it. */
export async function loadLanguage(wanted: Language): Promise<void> {
  messages.value = (await CATALOGUES[wanted]()).messages;
  language.value = wanted;
  document.documentElement.lang = wanted;
}

/** The reader chooses a language; it is kept in this browser. */
export async function chooseLanguage(wanted: Language): Promise<void> {
  localStorage.setItem(KEPT, wanted);
  await loadLanguage(wanted);
}

/** A text of the catalogue, with the values of its places: `t("match.moves", { count: 3 })`. */
export function t(key: MessageKey, values: Record<string, string | number> = {}): string {
  const text = messages.value?.[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    return value === undefined ? place : typeof value === "number" ? number(value) : value;
  });
}

/** Making one takes far longer than using it, and a table has hundreds of numbers. */
const formats = new Map<string, Intl.NumberFormat>();

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
  return value.toLocaleString(language.value, { dateStyle: "medium", timeStyle: "short" });
}
