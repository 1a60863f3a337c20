/** Choosing among a few things that the address keeps: links that replace one word of its query. */
import { useLocation } from "preact-iso";
import "~/parts/ladder/choose.css";

/** The address with this in its query; without it where it is the first choice. */
export function withQuery(url: string, key: string, value: string): string {
  const [path = "/", query = ""] = url.split("?");
  const words = new URLSearchParams(query);
  if (value === "") words.delete(key);
  else words.set(key, value);
  const text = words.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** The part of an address's query that is none of its choices, such as `game=nagga`; undefined where there is none. */
export function unknownChoice(
  query: Readonly<Record<string, string>>,
  choices: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  const wrong = Object.entries(query).find(([name, value]) => choices[name]?.includes(value) === false);
  return wrong?.join("=");
}

/** Links to each choice. The first one is the address without the word. */
export function Choose(props: {
  label: string;
  query: string;
  choices: readonly (readonly [string, string])[];
  chosen: string;
}) {
  const { url } = useLocation();
  return (
    <nav class="choose" aria-label={props.label}>
      {props.choices.map(([value, title], at) => (
        <a
          key={value}
          href={withQuery(url, props.query, at === 0 ? "" : value)}
          aria-current={value === props.chosen ? "true" : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}
