/** Which page a path shows, and what is loaded with it. The build reads this, too: `preloads.ts`. */

export interface PageParts {
  /** Its file in `pages`. */
  readonly page: string;
  /** The files of the catalogue that it needs beyond the first view's. */
  readonly texts?: readonly string[];
  /** Sources that it loads in any case, after what is read first. */
  readonly also?: readonly string[];
}

/** The paths in the words of preact-iso. The gateway serves each first part of a path (`fudaba_web.page`). */
export const ROUTES: Readonly<Record<string, PageParts>> = {
  "/": { page: "home", also: ["parts/home/live_board", "parts/home/top"] },
  "/ladders": { page: "ladders", texts: ["ladder"] },
  "/ladders/:ladder": { page: "ladder", texts: ["ladder", "shown"] },
  "/ladders/:ladder/seasons/:season": { page: "ladder", texts: ["ladder", "shown"] },
  "/tournaments/:tournament": { page: "tournament", texts: ["ladder", "shown"] },
  "/bots/:bot": { page: "bot", texts: ["ladder", "shown", "casual"] },
  "/authors/:author": { page: "author", texts: ["ladder"] },
  "/matches": { page: "matches", texts: ["match", "play", "shown"] },
  "/matches/:match": { page: "match", texts: ["match", "play", "shown"] },
  "/embed/:match": { page: "embed", texts: ["match", "play", "shown"] },
  "/now": { page: "now", texts: ["match", "play", "shown"] },
  "/games": { page: "games" },
  "/games/:game": { page: "game", texts: ["learn"] },
  "/programs": { page: "programs" },
  "/status": { page: "status", texts: ["status", "ladder"] },
  "/parts": { page: "parts", texts: ["parts", "play", "enter", "boards/napoleon", "boards/naga", "boards/houniek"] },
  "/play": { page: "play", texts: ["match", "play"] },
  "/join/:code": { page: "join", texts: ["match", "play"] },
  "/enter": { page: "enter", texts: ["enter"] },
  "/submissions/:submission": { page: "submission", texts: ["enter"] },
  "/account": { page: "account", texts: ["enter", "organiser"] },
  "/organiser": { page: "organiser", texts: ["enter", "organiser", "begin", "ladder"] },
};

/** Where none of these is. */
export const MISSING: PageParts = { page: "missing", texts: ["late"] };
