export const site = {
  "site.title": "",
} as const;
