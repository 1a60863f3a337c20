/** One of several things at a place: tabs, which arrow keys move between. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import "~/parts/tabs.css";

export interface TabsProps {
  /** What one chooses between. */
  readonly label: string;
  /** Names and what stands on each. */
  readonly tabs: readonly (readonly [string, ComponentChildren])[];
  readonly chosen: string;
  readonly choose: (tab: string) => void;
  /** What the chosen one shows. */
  readonly children: ComponentChildren;
}

export function Tabs({ label, tabs, chosen, choose, children }: TabsProps) {
  const id = useId();
  const move = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const next = neighbour(
      tabs.map(([name]) => name),
      chosen,
      event.key,
    );
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next)}"]`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(([name, title]) => (
          <button
            type="button"
            role="tab"
            class="bare"
            key={name}
            id={`${id}-${name}`}
            data-tab={name}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => {
              choose(name);
            }}
          >
            {title}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen}`} class="panel">
        {children}
      </div>
    </>
  );
}

/** The tab to which a key leads from this one; undefined for any other key. */
export function neighbour(names: readonly string[], from: string, key: string): string | undefined {
  const at = names.indexOf(from);
  const count = names.length;
  if (key === "ArrowRight" || key === "ArrowDown") return names[(at + 1) % count];
  if (key === "ArrowLeft" || key === "ArrowUp") return names[(at - 1 + count) % count];
  if (key === "Home") return names[0];
  if (key === "End") return names[count - 1];
  return undefined;
}
