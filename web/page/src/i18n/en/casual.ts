/** A seat against somebody's bot, and the setting by which its author allows that. */
export const texts = {
  "casual.offer": "Sit down against {bot}: an unrated match begins at once.",
  "casual.play": "Play {game} against it",
  "casual.absent": "{bot} takes casual matches, but its author's process is not connected now.",
  "casual.again": "Look again",
  "casual.closed": "Its author does not let players sit down against it.",
  "casual.uploaded":
    "It is an upload, which the arena runs only in the matches that the arena makes: nobody can sit down against it.",
  "casual.notAPlayer": "Authors and organisers have no seat themselves: sign out, or use a bot's token, to sit down.",
  "casual.noGuests": "Sign in to sit down against it: this site has no guests.",
  "casual.setting": "Casual matches",
  "casual.settingMeans":
    "Players, guests too, may sit down against your bot in the games that you choose. It is unrated. Matches that have begun go on when you allow none any more.",
  "casual.atOnce": "Matches at once",
  "casual.save": "Allow these",
  "casual.off": "Allow none",
  "casual.savedGames": "Players may sit down against {bot}.",
  "casual.savedNone": "Nobody can sit down against {bot} any more.",
} as const;
