export const ladder = {
  "ladder.title": "",
} as const;
