/** A match that is watched or shown again has the window to itself, as one that is played has. */
import type { ComponentChildren } from "preact";
import { t } from "~/i18n";
import { gameName } from "~/parts/games";
import { Drawer, DrawerButton, useDrawn } from "~/parts/play/drawer";
import { useTitle } from "~/parts/title";
import "~/boards/chooser.css";
import "~/parts/match/match.css";
import "~/parts/play/at_table.css";
import "~/parts/match/shell.css";

export function TableShell(props: {
  game: string;
  /** The match's state, or whatever else stands beside its game. */
  mark?: ComponentChildren;
  /** What happened last, in words. */
  news: string | undefined;
  /** What stands between the heading and the board, such as a failure. */
  above?: ComponentChildren;
  board: ComponentChildren;
  /** What stands below the board: who leads, and what moves the replay. */
  bar: ComponentChildren;
  /** What need not be seen all the time. */
  drawer: ComponentChildren;
}) {
  const [drawn, setDrawn] = useDrawn();
  const name = gameName(props.game);
  useTitle(name, t("shell.matches"));
  return (
    <article
      class="match at-table"
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.isComposing) setDrawn(false);
      }}
    >
      <header class="table-head">
        <h1>{name}</h1>
        {props.mark}
        <p class="table-news" aria-hidden="true">
          {props.news}
        </p>
        <DrawerButton open={drawn} turn={setDrawn} />
      </header>
      {props.above}
      <div class="match-main">
        <div class="chooser-whole">
          {props.board}
          <div class="match-bar">{props.bar}</div>
        </div>
        <Drawer
          open={drawn}
          close={() => {
            setDrawn(false);
          }}
        >
          {props.drawer}
        </Drawer>
      </div>
    </article>
  );
}
