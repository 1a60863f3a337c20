/** Whole numbers as people type them into a form of limits. */

/** Nothing typed is undefined; what is no number from `least` to `most` is `wrong`, and never nothing. */
export type WholeNumber = { readonly number: number | undefined } | { readonly wrong: string };

export function wholeNumber(text: string, least: number, most: number): WholeNumber {
  const typed = text.trim();
  if (typed === "") return { number: undefined };
  const number = /^\d{1,9}$/.test(typed) ? Number(typed) : Number.NaN;
  return number >= least && number <= most ? { number } : { wrong: typed };
}
