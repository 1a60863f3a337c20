export const enter = {
  "enter.title": "",
} as const;
