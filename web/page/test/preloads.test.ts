/** What a document names of its path. */
import { describe, expect, it } from "vitest";
import { ROUTES } from "~/routes";
import { type Chunks, preloads, sourcesOf } from "../preloads.ts";

describe("what a path loads", () => {
  it("is named once, with what it imports, but for what every document has", () => {
    const shared = { "_common.js": { file: "common.js" }, "_part.js": { file: "part.js", css: ["part.css"] } };
    const built: Record<string, unknown> = { ...shared, "index.html": { file: "index.js", imports: ["_common.js"] } };
    for (const parts of Object.values(ROUTES))
      for (const source of ["en", "ja"].flatMap((language) => sourcesOf(parts, language)))
        built[source] = { file: `${source}.js`, imports: ["_common.js", "_part.js"] };
    expect(preloads(built as Chunks)["/games"]).toEqual({
      en: ["src/pages/games.tsx.js", "part.js", "part.css", "src/i18n/en/index.ts.js"],
      ja: ["src/pages/games.tsx.js", "part.js", "part.css", "src/i18n/ja/index.ts.js"],
    });
  });
});
