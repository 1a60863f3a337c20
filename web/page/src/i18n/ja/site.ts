import type { site as english } from "~/i18n/en/site";

export const site: Record<keyof typeof english, string> = {
  "site.title": "",
};
