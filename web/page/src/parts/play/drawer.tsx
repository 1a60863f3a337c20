/** What need not be seen all the time of a match in play, and the button that shows it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "~/i18n";

/** From this width on the drawer stands open beside the table. */
const WIDE = "(min-width: 100rem)";
const DRAWER = "drawer";

export function useDrawn(): [boolean, (drawn: boolean) => void] {
  return useState(() => matchMedia(WIDE).matches);
}

export function DrawerButton(props: { open: boolean; turn: (open: boolean) => void }) {
  const { open, turn } = props;
  const buttonRef = useRef<HTMLButtonElement>(null);
  useFocusWhen(!open, buttonRef);
  return (
    <button
      type="button"
      class="small"
      ref={buttonRef}
      aria-expanded={open}
      aria-controls={DRAWER}
      onClick={() => {
        turn(!open);
      }}
    >
      {t("play.drawer")}
    </button>
  );
}

/** Beside the table, or over it where there is no room. */
export function Drawer(props: { open: boolean; close: () => void; children: ComponentChildren }) {
  const drawerRef = useRef<HTMLElement>(null);
  useFocusWhen(props.open, drawerRef);
  return (
    <aside id={DRAWER} class="drawer" ref={drawerRef} tabIndex={-1} hidden={!props.open} aria-label={t("play.drawer")}>
      <button type="button" class="small drawer-close" onClick={props.close}>
        {t("play.closeDrawer")}
      </button>
      {props.children}
    </aside>
  );
}

/** Takes the focus to a place when that becomes its turn: not to what is there from the beginning. */
function useFocusWhen(turn: boolean, placeRef: { readonly current: HTMLElement | null }) {
  const lastRef = useRef(turn);
  useEffect(() => {
    if (turn && !lastRef.current) placeRef.current?.focus({ preventScroll: true });
    lastRef.current = turn;
  }, [turn, placeRef]);
}
