import type { match as english } from "~/i18n/en/match";

export const match: Record<keyof typeof english, string> = {
  "match.title": "",
};
