import { expect, test } from "vitest";
import { currentAt } from "~/parts/shell";
import { neighbour } from "~/parts/tabs";
import { placeNote } from "~/parts/term";
import { themeOf } from "~/parts/theme";
import { titleOf } from "~/parts/title";

test("a place is current on its own page, and holds the pages beneath it", () => {
  expect(currentAt("/ladders", "/ladders")).toBe("page");
  expect(currentAt("/ladders/open", "/ladders")).toBe("true");
  expect(currentAt("/bots/robot", "/ladders", ["/bots"])).toBe("true");
  expect(currentAt("/laddersmith", "/ladders")).toBeUndefined();
  expect(currentAt("/", "/ladders")).toBeUndefined();
});

test("arrow keys go round the tabs, Home and End to the outermost", () => {
  const tabs = ["one", "two", "three"];
  expect(neighbour(tabs, "three", "ArrowRight")).toBe("one");
  expect(neighbour(tabs, "one", "ArrowLeft")).toBe("three");
  expect(neighbour(tabs, "two", "Home")).toBe("one");
  expect(neighbour(tabs, "two", "End")).toBe("three");
  expect(neighbour(tabs, "two", "x")).toBeUndefined();
});

test("a note stays in the window: below its word, or above where there is no room", () => {
  const room = { width: 360, height: 640 };
  const note = { width: 300, height: 100 };
  expect(placeNote({ left: 10, top: 20, bottom: 40 }, note, room)).toEqual({ left: 10, top: 46 });
  expect(placeNote({ left: 340, top: 20, bottom: 40 }, note, room).left).toBe(54);
  expect(placeNote({ left: 10, top: 600, bottom: 620 }, note, room).top).toBe(494);
});

test("titles name the page before the site", () => {
  expect(titleOf(["open", "Ladders"])).toBe("open · Ladders · 札場 Fudaba");
  expect(titleOf([])).toBe("札場 Fudaba");
});

test("a theme that was kept and does not exist is the system's", () => {
  expect(themeOf("dark")).toBe("dark");
  expect(themeOf("purple")).toBe("system");
  expect(themeOf(null)).toBe("system");
});
