/** Lists that come page by page, read to their end. */

interface Page {
  readonly nextPageToken: string;
}

/** What is asked of each page: as many as a page may have, from its beginning on. */
interface Asked {
  readonly pageSize: number;
  readonly pageToken: string;
}

const MAX_PAGE_SIZE = 1000;

/** All of a list, one page after the other: `items` takes them out of a page. */
export async function everyPage<P extends Page, T>(
  ask: (asked: Asked) => Promise<P>,
  items: (page: P) => readonly T[],
): Promise<T[]> {
  const found: T[] = [];
  let pageToken = "";
  do {
    const page = await ask({ pageSize: MAX_PAGE_SIZE, pageToken });
    found.push(...items(page));
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return found;
}
