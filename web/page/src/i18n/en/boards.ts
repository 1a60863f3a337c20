export const boards = {
  "boards.title": "",
} as const;
