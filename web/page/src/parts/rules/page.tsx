/** A rule page, drawn from its Markdown. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { t } from "~/i18n";
import { type Block, type Inline, type Line, parseMarkdown, plain, ruleNumber, slug } from "~/parts/rules/markdown";
import "~/parts/rules/rules.css";

/** Where a link of a rule page leads here; undefined for what this page does not have. */
export type Resolve = (to: string) => string | undefined;

export interface RulePageProps {
  readonly text: string;
  readonly resolve: Resolve;
  /** What stands between the page's heading and its first words. */
  readonly beneath?: ComponentChildren;
}

export function RulePage({ text, resolve, beneath }: RulePageProps) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  // The browser looks for what the address names before it is drawn.
  useEffect(() => {
    const name = decodeURIComponent(location.hash.slice(1));
    if (name !== "") document.getElementById(name)?.scrollIntoView();
  }, [blocks]);
  const drawn = useMemo(
    () => blocks.map((block, at) => <Drawn key={at} block={block} resolve={resolve} />),
    [blocks, resolve],
  );
  const there = usePieceByPiece(blocks.length);
  return (
    <div class="rules">
      <Contents blocks={blocks} />
      <article>
        {drawn[0]}
        {beneath}
        {drawn.slice(1, there)}
      </article>
    </div>
  );
}

/** Blocks that are drawn at once; the first of these fill a window. */
const BLOCKS_AT_ONCE = 10;

/**
 * How many of so many blocks are drawn: a long page is drawn piece by piece, so that a slow machine shows its beginning
 * early and answers meanwhile. All at once where the address names a place in it, which may be anywhere.
 */
function usePieceByPiece(count: number): number {
  const [there, setThere] = useState(() => (location.hash === "" ? BLOCKS_AT_ONCE : Number.POSITIVE_INFINITY));
  useEffect(() => {
    if (there >= count) return undefined;
    const timer = setTimeout(() => {
      setThere(there + BLOCKS_AT_ONCE);
    });
    return () => {
      clearTimeout(timer);
    };
  }, [there, count]);
  return there;
}

/** Where the contents stand beside the page they are open; above it they would keep readers from it. */
const BESIDE = "(min-width: 62rem)";

function Contents({ blocks }: { blocks: readonly Block[] }) {
  const parts = blocks.flatMap((block) =>
    block.kind === "heading" && block.level === 2 ? [plain(block.content)] : [],
  );
  if (parts.length < 2) return null;
  return (
    <nav aria-label={t("site.contents")}>
      <details open={matchMedia(BESIDE).matches}>
        <summary>{t("site.contents")}</summary>
        <ol>
          {parts.map((part) => (
            <li key={part}>
              <a href={`#${slug(part)}`}>{part}</a>
            </li>
          ))}
        </ol>
      </details>
    </nav>
  );
}

function Drawn({ block, resolve }: { block: Block; resolve: Resolve }) {
  switch (block.kind) {
    case "heading":
      return <Heading level={block.level} content={block.content} resolve={resolve} />;
    case "paragraph":
      return (
        <p>
          <Words content={block.content} resolve={resolve} />
        </p>
      );
    case "list": {
      const items = block.items.map((item, at) => <Item key={at} content={item} resolve={resolve} />);
      return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case "table":
      return <Table head={block.head} rows={block.rows} resolve={resolve} />;
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
  }
}

function Heading({ level, content, resolve }: { level: number; content: Line; resolve: Resolve }) {
  const words = <Words content={content} resolve={resolve} />;
  const text = plain(content);
  if (level === 1) return <h1>{words}</h1>;
  const id = slug(text);
  const inner = (
    <>
      {words}{" "}
      <a class="anchor" href={`#${id}`} aria-label={t("site.linkTo", { part: text })}>
        #
      </a>
    </>
  );
  return level === 2 ? <h2 id={id}>{inner}</h2> : <h3 id={id}>{inner}</h3>;
}

/** A rule that has a number can be linked by it. */
function Item({ content, resolve }: { content: Line; resolve: Resolve }) {
  const rule = ruleNumber(content);
  if (rule === undefined) {
    return (
      <li>
        <Words content={content} resolve={resolve} />
      </li>
    );
  }
  return (
    <li id={rule} class="rule">
      <a class="rule-number" href={`#${rule}`}>
        {rule}
      </a>
      <span>
        <Words content={content.slice(1)} resolve={resolve} />
      </span>
    </li>
  );
}

function Table(props: { head: readonly Line[]; rows: readonly (readonly Line[])[]; resolve: Resolve }) {
  return (
    <div
      class="scroll"
      role="group" // no landmark: a page may have several with the same head
      aria-label={`${t("site.table")}: ${props.head.map(plain).join(", ")}`}
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            {props.head.map((cell, at) =>
              cell.length === 0 ? (
                <td key={at} />
              ) : (
                <th scope="col" key={at}>
                  <Words content={cell} resolve={props.resolve} />
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>
                  <Words content={cell} resolve={props.resolve} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Words({ content, resolve }: { content: Line; resolve: Resolve }) {
  return <>{content.map((part, at) => wordsOf(part, at, resolve))}</>;
}

function wordsOf(part: Inline, key: number, resolve: Resolve): ComponentChildren {
  if (part.kind === "text") return part.text;
  if (part.kind === "code") return <code key={key}>{part.text}</code>;
  const inner = <Words content={part.content} resolve={resolve} />;
  if (part.kind !== "link") return part.kind === "em" ? <em key={key}>{inner}</em> : <strong key={key}>{inner}</strong>;
  const to = resolve(part.to);
  return to === undefined ? (
    <span key={key}>{inner}</span>
  ) : (
    <a key={key} href={to}>
      {inner}
    </a>
  );
}
