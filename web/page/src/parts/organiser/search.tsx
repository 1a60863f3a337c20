/** A long list of the server's: searched there, and read page by page. */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { t } from "~/i18n";

/** Asks for a text, and draws `children` with what was asked for last. Another text begins another list. */
export function Searched(props: { label: string; children: (query: string) => ComponentChildren }) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [query, setQuery] = useState("");
  return (
    <>
      <form
        class="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery(typed.trim());
        }}
      >
        <label for={id}>{props.label}</label>
        <input
          id={id}
          type="search"
          value={typed}
          spellcheck={false}
          autocapitalize="none"
          autocomplete="off"
          onInput={(event) => {
            setTyped(event.currentTarget.value);
          }}
        />
        <button type="submit" class="small">
          {t("organiser.search")}
        </button>
      </form>
      {props.children(query)}
    </>
  );
}

/** Where the pages that were read begin, the first one first; `P` is what the server calls such a place. */
export function usePlaces<P>(first: P): { place: P; places: readonly P[]; go: (places: readonly P[]) => void } {
  const [places, go] = useState<readonly P[]>([first]);
  return { place: places.at(-1) ?? first, places, go };
}

/** To the page before, and to the next one, where there is one. */
export function Steps<P>(props: { places: readonly P[]; next: P | undefined; go: (places: readonly P[]) => void }) {
  const { places, next, go } = props;
  if (places.length === 1 && next === undefined) return null;
  return (
    <nav class="pager" aria-label={t("shell.pages")}>
      <button
        type="button"
        class="small"
        disabled={places.length === 1}
        onClick={() => {
          go(places.slice(0, -1));
        }}
      >
        {t("shell.earlier")}
      </button>
      <button
        type="button"
        class="small"
        disabled={next === undefined}
        onClick={() => {
          if (next !== undefined) go([...places, next]);
        }}
      >
        {t("shell.later")}
      </button>
    </nav>
  );
}
