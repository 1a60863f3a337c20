/** The document's title, which tabs, history and screen readers tell. */
import { useEffect } from "preact/hooks";

/** What whoever runs the site has said of it, in the head of the document; empty if nothing. */
export function saidOfSite(name: "application-name" | "contact" | "imprint"): string {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? "";
}

const SITE = saidOfSite("application-name") || "札場 Fudaba";

/** Titles the page; the narrowest part stands first: `useTitle("open", t("shell.ladders"))`. */
export function useTitle(...parts: readonly string[]): void {
  const title = titleOf(parts);
  useEffect(() => {
    document.title = title;
  }, [title]);
}

export function titleOf(parts: readonly string[]): string {
  return [...parts.filter((part) => part !== ""), SITE].join(" · ");
}
