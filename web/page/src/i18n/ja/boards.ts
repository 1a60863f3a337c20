import type { boards as english } from "~/i18n/en/boards";

export const boards: Record<keyof typeof english, string> = {
  "boards.title": "",
};
