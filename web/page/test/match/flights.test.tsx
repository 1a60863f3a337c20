/** Cards fly from where they lay on the board to where they lie, and only those that moved on it. */
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { Table } from "~/boards/table/table";
import { loadLanguage, loadTexts } from "~/i18n";

/** Where the page is scrolled to, and where the card lies on the board. */
let scrolled: number;
let lies: number;
let isReduced: boolean;
let flights: { picture: SVGElement; from: string; flight: Pick<Animation, "onfinish" | "oncancel"> }[];
let root: HTMLElement;

function draw() {
  void act(() => {
    render(
      <Table class="" facts="" others={[]}>
        <svg data-card="7" />
      </Table>,
      root,
    );
  });
}

function land(at: number) {
  const flight = flights[at]?.flight as Animation;
  flight.onfinish?.call(flight, new Event("finish") as AnimationPlaybackEvent);
}

const card = () => root.querySelector<SVGElement>("svg[data-card]")?.style.visibility;
const pictures = () =>
  [...root.querySelectorAll<SVGElement>(".board-flights svg")].map((picture) => picture.style.visibility);

beforeAll(async () => {
  await loadLanguage("en");
  await loadTexts("match");
});
beforeEach(() => {
  [scrolled, lies, isReduced, flights] = [0, 100, false, []];
  root = document.body.appendChild(document.createElement("div"));
  vi.stubGlobal("matchMedia", () => ({ matches: isReduced }));
  vi.spyOn(performance, "now").mockReturnValue(0); // no device is too slow
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    return new DOMRect(0, (this.tagName === "svg" ? lies : 0) - scrolled, 50, 70);
  });
  Element.prototype.animate = function (this: Element, frames) {
    const [{ transform }] = frames as [{ transform: string }];
    const flight = { onfinish: null, oncancel: null };
    flights.push({ picture: this as SVGElement, from: transform, flight });
    return flight as unknown as Animation;
  };
});
afterEach(() => {
  render(null, root);
  root.remove();
  Reflect.deleteProperty(Element.prototype, "animate");
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("a card that moved flies there, and waits for its picture to land", () => {
  draw();
  lies = 300;
  draw();
  expect(flights.map(({ from }) => from)).toEqual(["translate(0px, -200px) scale(1)"]);
  expect([card(), pictures()]).toEqual(["hidden", [""]]);
  land(0);
  expect([card(), pictures()]).toEqual(["", []]);
});

it("a card stays that did not move on the board, though the page was scrolled", () => {
  draw();
  scrolled = 200;
  draw();
  expect(flights).toEqual([]);
});

it.each([
  ["a part of the board was scrolled", () => root.querySelector(".board-middle")?.dispatchEvent(new Event("scroll"))],
  ["the window has another size", () => dispatchEvent(new Event("resize"))],
])("no card flies where %s", (_, happens) => {
  draw();
  lies = 300;
  happens();
  draw();
  expect(flights).toEqual([]);
  lies = 100;
  draw();
  expect(flights).toHaveLength(1);
});

it("a card that moves on while it flies is seen flying on", () => {
  draw();
  lies = 300;
  draw();
  lies = 500;
  draw();
  expect(flights).toHaveLength(2);
  expect([card(), pictures()]).toEqual(["hidden", [""]]);
  land(0); // what has been ended ends nothing
  expect([card(), pictures()]).toEqual(["hidden", [""]]);
  land(1);
  expect([card(), pictures()]).toEqual(["", []]);
});

it("no card flies where less motion is asked for", () => {
  isReduced = true;
  draw();
  lies = 300;
  draw();
  expect(flights).toEqual([]);
});
