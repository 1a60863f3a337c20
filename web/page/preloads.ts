/** What the build tells the gateway: the files that a path loads in any case, to be named in its document at once. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { type PageParts, ROUTES } from "./src/routes.ts";

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
}
export type Chunks = Readonly<Record<string, Chunk>>;

const DOCUMENT = "index.html";
const LANGUAGES = ["en", "ja"];

/** The sources of a page that are loaded in any case, in a language. */
export function sourcesOf({ page, texts = [], also = [] }: PageParts, language: string): string[] {
  return [
    `src/pages/${page}.tsx`,
    ...["index", ...texts].map((part) => `src/i18n/${language}/${part}.ts`),
    ...also.map((part) => `src/${part}.tsx`),
  ];
}

/** The files that come along with a chunk: itself, its styles, and what it imports at once. */
export function along(chunks: Chunks, source: string, found = new Set<string>()): Set<string> {
  const chunk = chunks[source];
  if (chunk === undefined) throw new Error(`the build has nothing of ${source}`);
  if (found.has(chunk.file)) return found;
  for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
  for (const imported of chunk.imports ?? []) along(chunks, imported, found);
  return found;
}

/** By path and language, what the document does not name already. */
export function preloads(chunks: Chunks): Record<string, Record<string, string[]>> {
  const named = along(chunks, DOCUMENT);
  const filesOf = (parts: PageParts, language: string) => {
    const files = new Set<string>();
    for (const source of sourcesOf(parts, language)) along(chunks, source, files);
    return [...files].filter((file) => !named.has(file));
  };
  return Object.fromEntries(
    Object.entries(ROUTES).map(([path, parts]) => [
      path,
      Object.fromEntries(LANGUAGES.map((language) => [language, filesOf(parts, language)])),
    ]),
  );
}

/** Writes them beside the document; `fudaba_web.preloads` reads them. */
export function writePreloads(): Plugin {
  return {
    name: "preloads",
    apply: "build",
    writeBundle: {
      order: "post",
      handler({ dir = "" }) {
        const chunks = JSON.parse(readFileSync(join(dir, ".vite/manifest.json"), "utf8")) as Chunks;
        writeFileSync(join(dir, "preloads.json"), JSON.stringify(preloads(chunks)));
      },
    },
  };
}
