export const organiser = {
  "organiser.title": "",
} as const;
