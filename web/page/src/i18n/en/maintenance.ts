/** What is said of maintenance above every page. */
export const texts = {
  "maintenance.announced": "Maintenance from {from} until {until}:",
  "maintenance.underWay": "Maintenance until {until}:",
  "maintenance.effect": "No match begins in that time. Matches in play go on.",
} as const;
