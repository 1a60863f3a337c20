export const play = {
  "play.title": "",
} as const;
