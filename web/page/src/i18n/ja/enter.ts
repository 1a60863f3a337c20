import type { enter as english } from "~/i18n/en/enter";

export const enter: Record<keyof typeof english, string> = {
  "enter.title": "",
};
