/**
 * The pages of rules in other languages than English, in which services send them: `docs/rules/ja`. They have the same
 * numbers, which a test of the rules compares (`tests/games/test_japanese_rules.py`).
 */
import type { Language } from "~/i18n";

const PAGES = import.meta.glob<string>("../../../../docs/rules/ja/*.md", { query: "?raw", import: "default" });

/** A page such as `naga.md` or `README.md` in a language; undefined where there is only the service's own. */
export async function loadTranslatedRules(name: string, language: Language): Promise<string | undefined> {
  return await PAGES[`../../../../docs/rules/${language}/${name}`]?.();
}
