/** A short mark beside a name: a state, a kind. */
import type { ComponentChildren } from "preact";
import "~/parts/tag.css";

export type Tone = "plain" | "good" | "warn" | "bad" | "live";

export function Tag(props: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`tag ${props.tone ?? "plain"}`}>{props.children}</span>;
}
