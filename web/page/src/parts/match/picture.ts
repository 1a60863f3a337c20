/** A picture of a position, made here: the board as it is drawn, in a window of its own that is always of the same size. */

const WIDTH_PIXELS = 1200;
const HEIGHT_PIXELS = 800;
/** Pixels of the picture for each of the board's. */
const SCALE_RATIO = 2;

/** What the page's style sheets say. Those of other sites, which nothing here has, could not be read. */
function styles(): string {
  return [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)).join("\n");
}

/** The board as a drawing: its markup with the styles that it needs, which no script has to read. */
export function drawing(board: Element, title: string): string {
  const inner = board.cloneNode(true) as Element;
  for (const element of inner.querySelectorAll("[tabindex]")) element.removeAttribute("tabindex");
  const caption = document.createElement("p");
  caption.className = "picture-title";
  caption.textContent = title;
  const markup = (node: Element) => new XMLSerializer().serializeToString(node);
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const shown = scheme === "light" || scheme === "dark" ? scheme : dark ? "dark" : "light";
  const own = `
    :root { color-scheme: ${shown}; }
    .picture { display: flex; flex-direction: column; box-sizing: border-box; inline-size: ${WIDTH_PIXELS}px;
      block-size: ${HEIGHT_PIXELS}px; padding: var(--space-5); background: var(--paper); color: var(--ink);
      font-family: system-ui, "Noto Sans JP", "Noto Sans CJK JP", sans-serif; line-height: 1.5; }
    .picture-title { margin: var(--space-4) 0 0; color: var(--quiet); font-size: var(--type-4); }
    .picture .board { flex: 1; }
  `;
  const css = `${styles()}\n${own}`.replaceAll("]]>", "");
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" data-deck="${document.documentElement.dataset.deck ?? "two"}" width="${WIDTH_PIXELS}" height="${HEIGHT_PIXELS}" viewBox="0 0 ${WIDTH_PIXELS} ${HEIGHT_PIXELS}">` +
    `<style><![CDATA[${css}]]></style><foreignObject width="100%" height="100%">` +
    `<div xmlns="http://www.w3.org/1999/xhtml" class="picture at-table">${markup(inner)}${markup(caption)}</div>` +
    `</foreignObject></svg>`
  );
}

/** The same as pixels. */
export async function picture(board: Element, title: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing(board, title))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH_PIXELS * SCALE_RATIO;
  canvas.height = HEIGHT_PIXELS * SCALE_RATIO;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return await new Promise((done, fail) => {
    canvas.toBlob((blob) => {
      if (blob === null) fail(new Error("the browser has made no picture"));
      else done(blob);
    }, "image/png");
  });
}
