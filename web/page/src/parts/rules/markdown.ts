/**
 * The Markdown of rule pages, parsed into blocks: headings, paragraphs, lists of one level, tables, fenced code; in a line
 * emphasis, code and links. Whatever else there is stays text, and nothing ever becomes markup by itself.
 */

export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "em"; readonly content: readonly Inline[] }
  | { readonly kind: "link"; readonly to: string; readonly content: readonly Inline[] };

export type Line = readonly Inline[];

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly content: Line }
  | { readonly kind: "paragraph"; readonly content: Line }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly Line[] }
  | { readonly kind: "table"; readonly head: readonly Line[]; readonly rows: readonly (readonly Line[])[] }
  | { readonly kind: "code"; readonly text: string };

const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^(?:[-*]|(\d+)\.)\s+(.*)$/;
const FENCE = "```";
const RULE_OF_TABLE = /^\|?[\s:|-]+\|[\s:|-]*$/;

export function parseMarkdown(text: string): Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      at += 1;
      continue;
    }
    const [block, next] = readBlock(lines, at);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

/** The block that begins at a line, and the line after it. */
function readBlock(lines: readonly string[], from: number): [Block, number] {
  const line = lines[from] ?? "";
  const heading = HEADING.exec(line);
  if (heading !== null)
    return [{ kind: "heading", level: heading[1]?.length ?? 1, content: parseInline(heading[2] ?? "") }, from + 1];
  if (line.startsWith(FENCE)) {
    const end = lines.findIndex((candidate, at) => at > from && candidate.startsWith(FENCE));
    const to = end < 0 ? lines.length : end;
    return [{ kind: "code", text: lines.slice(from + 1, to).join("\n") }, to + 1];
  }
  if (line.startsWith("|") && RULE_OF_TABLE.test(lines[from + 1] ?? "")) return readTable(lines, from);
  if (ITEM.test(line)) return readList(lines, from);
  let to = from + 1;
  while (to < lines.length && !beginsBlock(lines[to] ?? "")) to += 1;
  return [{ kind: "paragraph", content: parseInline(joined(lines.slice(from, to))) }, to];
}

function beginsBlock(line: string): boolean {
  return line.trim() === "" || HEADING.test(line) || line.startsWith(FENCE) || line.startsWith("|") || ITEM.test(line);
}

function readList(lines: readonly string[], from: number): [Block, number] {
  const ordered = ITEM.exec(lines[from] ?? "")?.[1] !== undefined;
  const items: string[][] = [];
  let at = from;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const item = ITEM.exec(line);
    if (item !== null) items.push([item[2] ?? ""]);
    else if (line.startsWith(" ") && line.trim() !== "") items.at(-1)?.push(line);
    else break;
  }
  return [{ kind: "list", ordered, items: items.map((item) => parseInline(joined(item))) }, at];
}

function readTable(lines: readonly string[], from: number): [Block, number] {
  let to = from + 2;
  while (to < lines.length && (lines[to] ?? "").startsWith("|")) to += 1;
  return [{ kind: "table", head: cellsOf(lines[from] ?? ""), rows: lines.slice(from + 2, to).map(cellsOf) }, to];
}

function cellsOf(line: string): Line[] {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => parseInline(cell.trim().replaceAll("\\|", "|")));
}

/** A line's end between two characters of Japanese is no blank. */
function joined(lines: readonly string[]): string {
  return lines.reduce((text, line) => {
    const next = line.trim();
    return text === "" ? next : CJK_END.test(text) && CJK_BEGIN.test(next) ? text + next : `${text} ${next}`;
  }, "");
}
const CJK_END = /[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]$/;
const CJK_BEGIN = /^[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]/;

/** In this order: what stands in code is nothing else. */
const SPAN =
  /`(?<code>[^`]+)`|\*\*(?<strong>(?:[^*]|\*(?!\*))+)\*\*|\*(?<em>[^*\s](?:[^*]*[^*\s])?)\*|\[(?<text>[^\]]+)\]\((?<to>[^()\s]+)\)/;

export function parseInline(text: string): Inline[] {
  const found: Inline[] = [];
  let rest = text;
  while (rest !== "") {
    const match = SPAN.exec(rest);
    if (match === null) {
      found.push({ kind: "text", text: rest });
      break;
    }
    if (match.index > 0) found.push({ kind: "text", text: rest.slice(0, match.index) });
    found.push(spanOf(match.groups ?? {}));
    rest = rest.slice(match.index + match[0].length);
  }
  return found;
}

function spanOf(groups: Record<string, string | undefined>): Inline {
  if (groups.code !== undefined) return { kind: "code", text: groups.code };
  if (groups.strong !== undefined) return { kind: "strong", content: parseInline(groups.strong) };
  if (groups.em !== undefined) return { kind: "em", content: parseInline(groups.em) };
  return { kind: "link", to: groups.to ?? "", content: parseInline(groups.text ?? "") };
}

/** The text of a line without its emphasis. */
export function plain(line: Line): string {
  return line.map((part) => ("text" in part ? part.text : plain(part.content))).join("");
}

/** The name by which a heading is linked, as GitHub makes it: `n2-cards-and-places`. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

/** The number of a rule that a line begins with, such as `N2.1`; undefined without one. */
export function ruleNumber(line: Line): string | undefined {
  const first = line[0];
  if (first?.kind !== "strong") return undefined;
  const text = plain(first.content);
  return /^[A-Z]+\d+(\.\d+)*$/.test(text) ? text : undefined;
}
