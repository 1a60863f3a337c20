import type { ladder as english } from "~/i18n/en/ladder";

export const ladder: Record<keyof typeof english, string> = {
  "ladder.title": "",
};
