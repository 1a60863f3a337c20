/** What teaches a game is drawn from its files, in both languages, with no place left open and no card unknown. */
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadLanguage, loadTexts } from "~/i18n";
import Lesson, { Reference } from "~/learn/lesson";
import Cover from "~/learn/cover";
import { ReferenceCard } from "~/parts/match/reference_card";
import { until } from "./until";

const GAMES = Object.keys(import.meta.glob("../src/learn/en/!(sentences).json")).flatMap(
  (path) => /(\w+)\.json$/.exec(path)?.[1] ?? [],
);

let root: HTMLElement;
beforeEach(() => {
  root = document.body.appendChild(document.createElement("div"));
});
afterEach(() => {
  render(null, root);
  root.remove();
});

describe.each(["en", "ja"] as const)("in %s", (language) => {
  it.each(GAMES)("%s has five steps with named pictures, and a reference card", async (game) => {
    await loadLanguage(language);
    await act(() => {
      render(<Lesson game={game} />, root);
    });
    await until(() => {
      expect(root.querySelectorAll(".learn-steps > li")).toHaveLength(5);
    });
    expect(root.querySelectorAll(".learn-reference section").length).toBeGreaterThan(2);
    for (const picture of root.querySelectorAll(".learn-cards")) {
      expect(picture.getAttribute("aria-label")).not.toMatch(/^$|\?|undefined|\w+\.\w+/);
      expect(picture.querySelector("svg")).not.toBeNull();
    }
    expect(root.textContent).not.toMatch(/\{\w+\}|undefined|NaN|learn\./);
  });
});

it("a reference card stands alone, too", async () => {
  await loadLanguage("en");
  await act(() => {
    render(<Reference game="napoleon" />, root);
  });
  await until(() => {
    expect(root.textContent).toContain("Yoromeki");
  });
});

it("a reference card beside a board is loaded when it is opened", async () => {
  await loadLanguage("en");
  await loadTexts("match");
  await act(() => {
    render(<ReferenceCard game="naga" />, root);
  });
  const card = root.querySelector("details");
  expect(card?.textContent).toBe("Reference card");
  await act(() => {
    if (card !== null) card.open = true;
    card?.dispatchEvent(new Event("toggle"));
  });
  await until(() => {
    expect(card?.textContent).toContain("the player who does not deal");
  });
});

it("a cover is a picture that says nothing to screen readers", () => {
  render(<Cover game="naga" />, root);
  expect(root.querySelectorAll("[aria-hidden] > svg")).toHaveLength(3);
});
