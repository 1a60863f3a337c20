/** What a decision asks for: told by the kinds of the moves that are legal. */
import { type MessageKey, t } from "~/i18n";

/** What is to be decided, in words, and such a move as text, as the game's rule page writes it. */
export interface Ask {
  readonly prompt: string;
  readonly example: string;
}

/** The kinds of some moves. */
export function kindsOf(
  moves: readonly { readonly kind: { readonly case?: string | undefined } }[],
): ReadonlySet<string | undefined> {
  return new Set(moves.map(({ kind }) => kind.case));
}

export function ask(prompt: MessageKey, example: string, values: Record<string, string | number> = {}): Ask {
  return { prompt: t(prompt, values), example };
}
