/** What something waits for that takes long, and what to do where a path leads nowhere. */
export const texts = {
  "late.service": "The service has not answered yet; it is asked again by itself.",
  "late.page": "This part of the page is still on its way over the network.",
  "late.guestsFull": "No more guests may come from your network this hour. Sign in, or try again later.",
  "late.missingTitle": "No such page",
  "late.missingHint":
    "It may have been moved, or the address is mistyped. From the start page everything can be reached.",
} as const;
