export const match = {
  "match.title": "",
} as const;
