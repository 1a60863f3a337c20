/** Light or dark, as the system has it or as the reader chose here; and whether each suit has a colour of its own. */
import { signal } from "@preact/signals";
import { keep, kept } from "~/kept";

export type Theme = "system" | "light" | "dark";
const KEPT = "theme";
const KEPT_DECK = "four-colours";

export const theme = signal<Theme>("system");
/** Clubs are green then and diamonds blue, for those who mix up suits of like colours. */
export const fourColours = signal(false);

/** What the reader chose here before. */
export function loadTheme(): void {
  show(themeOf(kept("browser", KEPT)));
  showDeck(kept("browser", KEPT_DECK) === "true");
}

/** The reader chooses; it is kept in this browser. */
export function chooseTheme(wanted: Theme): void {
  keep("browser", KEPT, wanted);
  show(wanted);
}

export function chooseFourColours(wanted: boolean): void {
  keep("browser", KEPT_DECK, String(wanted));
  showDeck(wanted);
}

function showDeck(wanted: boolean): void {
  fourColours.value = wanted;
  document.documentElement.dataset.deck = wanted ? "four" : "two";
}

export function themeOf(chosen: string | null): Theme {
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

function show(wanted: Theme): void {
  theme.value = wanted;
  if (wanted === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
}
