/** When a match starts to be shown that is shown later than it is played. */
export const texts = {
  "shown.startsIn": "starts to be shown in {time}",
  "shown.now": "being shown",
  "shown.delayed": "shown {time} later than it is played",
  "shown.matchStartsIn": "This match starts to be shown in {time}. It then begins here by itself.",
  "shown.nextStartsIn": "The next match starts to be shown in {time}. It then begins here by itself.",
  "shown.replayLater": "It can be replayed here when its block is over.",
} as const;
