/** Light or dark: as the system has it, or as the reader chose here. */
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const KEPT = "theme";

export const theme = signal<Theme>("system");

/** What the reader chose here before. */
export function loadTheme(): void {
  show(themeOf(localStorage.getItem(KEPT)));
}

/** The reader chooses; it is kept in this browser. */
export function chooseTheme(wanted: Theme): void {
  localStorage.setItem(KEPT, wanted);
  show(wanted);
}

export function themeOf(kept: string | null): Theme {
  return kept === "light" || kept === "dark" ? kept : "system";
}

function show(wanted: Theme): void {
  theme.value = wanted;
  if (wanted === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
}
