import type { play as english } from "~/i18n/en/play";

export const play: Record<keyof typeof english, string> = {
  "play.title": "",
};
