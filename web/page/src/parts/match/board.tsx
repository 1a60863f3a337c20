/** A game's board as pages use it: loaded when it is needed. */
import { useCallback } from "preact/hooks";
import { type GameBoard, type GameKey, type SeatLabel, loadBoard } from "~/boards";
import type { Event, View } from "~/gen/fudaba/v1/game_pb";
import { t } from "~/i18n";
import { Loading, type Loaded, useLoad } from "~/parts/load";

export type Board = GameBoard<GameKey>;

/** The board of a game; there, but undefined, where this page's contract has no such game. */
export function useBoard(game: string): Loaded<Board | undefined> {
  return useLoad(useCallback(async () => (game === "" ? undefined : await loadBoard(game)), [game]));
}

export interface ShownBoard {
  readonly board: Loaded<Board | undefined>;
  readonly view: View | undefined;
  readonly fresh: readonly Event[];
  /** All events so far, these included; only they where no more is known. */
  readonly eventsSoFar?: readonly Event[] | undefined;
  readonly seats: readonly SeatLabel[];
  readonly seat: number | null;
}

/** A view on its board. */
export function BoardView({ board, view, fresh, eventsSoFar = fresh, seats, seat }: ShownBoard) {
  if (board.state === "failed") return <p role="alert">{t("match.boardFailed")}</p>;
  if (board.state === "loading") return <Loading isPart />;
  if (view?.game.value === undefined || board.value === undefined) return null;
  const { Board: Drawn } = board.value;
  return (
    <Drawn view={view.game.value} seats={seats} seat={seat} events={ofGame(fresh)} eventsSoFar={ofGame(eventsSoFar)} />
  );
}

function ofGame(events: readonly Event[]) {
  return events.flatMap((event) => (event.game.value === undefined ? [] : [event.game.value]));
}

/** One line: who leads, and why; of a match that is `over`, how it ended. */
export function Lead(props: Pick<ShownBoard, "board" | "view" | "seats"> & { over?: string }) {
  const { board, view, seats, over = "" } = props;
  if (over !== "") return <p class="match-lead is-over">{over}</p>;
  if (board.state !== "there" || board.value === undefined || view?.game.value === undefined) return null;
  return <p class="match-lead">{board.value.lead(view.game.value, seats)}</p>;
}
