/** Which games have a guided first deal, and the files of these. */

export interface DealFile {
  readonly record: { readonly seats: number };
  readonly positions: readonly { readonly update: string; readonly move?: number }[];
}

export interface DealWords {
  /** What is asked, and what is sensible, at each of the learner's decisions. */
  readonly prompts: readonly string[];
  readonly end: string;
}

export const DEALS = import.meta.glob<DealFile>("./deals/*.json", { import: "default" });
export const DEAL_WORDS = import.meta.glob<DealWords>("./deals/{en,ja}/*.json", { import: "default" });

export function hasDeal(game: string): boolean {
  return `./deals/${game}.json` in DEALS;
}
