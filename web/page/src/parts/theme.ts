/** Light or dark: as the system has it, or as the reader chose here. */
import { signal } from "@preact/signals";
import { keep, kept } from "~/kept";

export type Theme = "system" | "light" | "dark";
const KEPT = "theme";

export const theme = signal<Theme>("system");

/** What the reader chose here before. */
export function loadTheme(): void {
  show(themeOf(kept("browser", KEPT)));
}

/** The reader chooses; it is kept in this browser. */
export function chooseTheme(wanted: Theme): void {
  keep("browser", KEPT, wanted);
  show(wanted);
}

export function themeOf(chosen: string | null): Theme {
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

function show(wanted: Theme): void {
  theme.value = wanted;
  if (wanted === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
}
