import type { organiser as english } from "~/i18n/en/organiser";

export const organiser: Record<keyof typeof english, string> = {
  "organiser.title": "",
};
