/** A move is chosen by pointing, played as soon as it is clear, and can be taken back for a moment. */
import { create } from "@bufbuild/protobuf";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { GameBoard, GameKey } from "~/boards";
import type { Choice } from "~/boards/choices";
import { Chooser, type ChooserProps } from "~/boards/chooser";
import { board as naga } from "~/boards/naga";
import { type Move, MoveSchema, ViewSchema } from "~/gen/fudaba/v1/game_pb";
import { loadLanguage, loadTexts } from "~/i18n";
import { type Position, positionsOf } from "../positions";

const HOLD_MS = 1500;
const MINUTE_MS = 60_000;

const position = positionsOf("naga", "naga").find(
  ({ moves, view }) => moves.length > 1 && moves.every((move) => naga.touches(move, view).length === 1),
);
if (position === undefined) throw new Error("no position has moves of a single piece");

/** The legal moves as they come with a message: other objects each time. */
function sent({ moves }: Position<"naga">): Move[] {
  return moves.map((value) => create(MoveSchema, { game: { case: "naga", value } }));
}

const pieceId = naga.touches(position.moves[1] ?? never(), position.view)[0] ?? never();
function never(): never {
  throw new Error("the position lacks it");
}

let root: HTMLElement;
let played: Choice[];

function draw(more: Partial<ChooserProps> = {}) {
  const { view, seats } = position ?? never();
  const { Board } = naga;
  const props: ChooserProps = {
    board: naga as unknown as GameBoard<GameKey>,
    view: create(ViewSchema, { game: { case: "naga", value: view } }),
    viewer: { seat: 0, seats },
    decisionId: "d1",
    moves: sent(position ?? never()),
    count: position?.moves.length ?? 0,
    busy: false,
    atOnce: true,
    canTakeBack: true,
    deadline: performance.now() + MINUTE_MS,
    play: (choice) => played.push(choice), // another function at each drawing, as the match's page has it
    say: () => Promise.resolve(true),
    status: "Your turn.",
    instead: undefined,
    refusal: "",
    drawer: (moves) => moves,
    children: <Board view={view} seats={seats} seat={0} events={[]} />,
    ...more,
  };
  void act(() => {
    render(<Chooser {...props} />, root);
  });
}

function press(selector: string, event = "click") {
  void act(() => {
    const pressed = root.querySelector<HTMLElement>(selector) ?? never();
    pressed.dispatchEvent(new MouseEvent(event, { bubbles: true }));
  });
}

function pass(ms: number) {
  void act(() => {
    vi.advanceTimersByTime(ms);
  });
}

const point = () => {
  press(`button[data-piece="${pieceId}"]`);
};
const indices = () => played.map(({ index }) => index);

beforeAll(async () => {
  await loadTexts("play", "match", "boards/naga");
});
beforeEach(async () => {
  await loadLanguage("en");
  vi.useFakeTimers();
  played = [];
  root = document.body.appendChild(document.createElement("div"));
});
afterEach(() => {
  void act(() => {
    render(null, root);
  });
  root.remove();
  Reflect.deleteProperty(document, "elementFromPoint");
  vi.useRealTimers();
});

/** Drags a piece with the mouse, and lets it go over something. */
function drag(over: () => Element, pointerType = "mouse") {
  const at = (type: string, x: number) =>
    Object.assign(new MouseEvent(type, { bubbles: true, clientX: x, clientY: 0 }), { pointerType });
  const piece = root.querySelector(`button[data-piece="${pieceId}"]`) ?? never();
  document.elementFromPoint = over; // the browser of these tests draws nothing
  void act(() => {
    piece.dispatchEvent(at("pointerdown", 0));
    dispatchEvent(at("pointermove", 30));
    dispatchEvent(at("pointerup", 30));
    press(`button[data-piece="${pieceId}"]`); // a browser clicks, too
    vi.advanceTimersByTime(0);
  });
}

describe("a piece that is dragged", () => {
  const table = () => root.querySelector(".board-middle") ?? never();

  it("onto the table is played as if it was confirmed", () => {
    draw({ atOnce: false, canTakeBack: false });
    drag(table);
    expect(indices()).toEqual([1]);
  });

  it("can be taken back for a moment", () => {
    draw({ atOnce: false });
    drag(table);
    press("button.chooser-take-back");
    pass(MINUTE_MS);
    expect(indices()).toEqual([]);
  });

  it("beside the table stays where it was", () => {
    draw({ atOnce: false, canTakeBack: false });
    drag(() => document.body);
    expect(indices()).toEqual([]);
    expect(root.querySelector(".chooser-take-back, [aria-pressed=true]")).toBeNull();
    expect(document.querySelector(".dragged")).toBeNull();
  });

  it("on itself is clicked: the hand that shakes chooses it all the same", () => {
    draw({ atOnce: false, canTakeBack: false });
    drag(() => root.querySelector(`button[data-piece="${pieceId}"]`) ?? never());
    expect(root.querySelector(`[data-piece="${pieceId}"][aria-pressed=true]`)).not.toBeNull();
    expect(document.querySelector(".dragged")).toBeNull();
  });
});

describe("a move that is clear", () => {
  it("waits to be confirmed where nobody asked for less", () => {
    draw({ atOnce: false });
    point();
    pass(MINUTE_MS);
    expect(indices()).toEqual([]);
    press(".chooser-ready button.main");
    expect(indices()).toEqual([1]);
  });

  it("is played at once where none is taken back", () => {
    draw({ canTakeBack: false });
    point();
    expect(indices()).toEqual([1]);
  });

  it("is played once it can no longer be taken back", () => {
    draw();
    point();
    pass(HOLD_MS - 1);
    expect(indices()).toEqual([]);
    pass(1);
    expect(indices()).toEqual([1]);
    pass(MINUTE_MS);
    expect(indices()).toEqual([1]);
  });

  it("is not played if it is taken back, and can be chosen again", () => {
    draw();
    point();
    press("button.chooser-take-back");
    pass(MINUTE_MS);
    expect(indices()).toEqual([]);
    point();
    pass(HOLD_MS);
    expect(indices()).toEqual([1]);
  });

  it("is played at once when little time is left", () => {
    draw({ deadline: performance.now() + 2_900 });
    point();
    expect(indices()).toEqual([1]);
  });

  it("waits no longer because the page is drawn anew", () => {
    draw();
    point();
    for (let passed = 0; passed < HOLD_MS; passed += 100) {
      draw();
      pass(100);
    }
    expect(indices()).toEqual([1]);
  });
});

describe("a move that can be taken back", () => {
  it("is played though the same decision is told again", () => {
    draw({ moves: sent(position) });
    point();
    draw({ moves: sent(position) });
    pass(HOLD_MS);
    expect(indices()).toEqual([1]);
  });

  it("is forgotten when its decision is closed", () => {
    draw();
    point();
    draw({ decisionId: "d2" });
    pass(MINUTE_MS);
    expect(indices()).toEqual([]);
    expect(root.querySelector(".chooser")?.getAttribute("data-decision")).toBe("d2");
  });

  it("is played when its table goes, such as by another language", () => {
    draw();
    point();
    void act(() => {
      render(null, root);
    });
    expect(indices()).toEqual([1]);
  });

  it("is played when the page is left, once", () => {
    draw();
    point();
    void act(() => {
      dispatchEvent(new Event("pagehide"));
    });
    expect(indices()).toEqual([1]);
    pass(MINUTE_MS);
    expect(indices()).toEqual([1]);
  });
});

describe("whoever plays by keys", () => {
  const piece = () => root.querySelector<HTMLElement>(`button[data-piece="${pieceId}"]`);
  const key = (name: string, more: KeyboardEventInit = {}) => {
    const event = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more });
    void act(() => {
      document.activeElement?.dispatchEvent(event);
    });
    return event;
  };

  it.each([
    ["en", "Take back: "],
    ["ja", "取り消す:"],
  ] as const)(
    "is told of a move that can be taken back, and has the focus where it is (%s)",
    async (language, words) => {
      await loadLanguage(language);
      draw();
      piece()?.focus();
      point();
      expect(root.querySelector(".chooser [role=status]")?.textContent).toMatch(new RegExp(`^${words}.`));
      expect(document.activeElement?.textContent).toMatch(new RegExp(`^${words}.`));
      draw();
      expect(document.activeElement?.textContent).toMatch(new RegExp(`^${words}.`));
    },
  );

  it("takes a move back by Escape, which does nothing else, and is at the piece again", () => {
    const heard = vi.fn();
    root.addEventListener("keydown", heard);
    draw();
    point();
    key("Escape");
    expect(heard).not.toHaveBeenCalled();
    expect(document.activeElement).toBe(piece());
    pass(MINUTE_MS);
    expect(indices()).toEqual([]);
    key("Escape");
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it("takes nothing back by the key that chose the move and is still down", () => {
    draw();
    point();
    expect(key("Enter", { repeat: true }).defaultPrevented).toBe(true);
    expect(key("Enter").defaultPrevented).toBe(false);
  });
});
