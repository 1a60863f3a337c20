/** A guided first deal is played to its end by its buttons alone, with a prompt at each decision. */
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadLanguage } from "~/i18n";
import { DEALS } from "~/learn/deal_files";
import { loadDeal } from "~/learn/deals";
import Guided from "~/learn/guided";
import { until } from "./until";

const GAMES = Object.keys(DEALS).flatMap((path) => /(\w+)\.json$/.exec(path)?.[1] ?? []);

let root: HTMLElement;
beforeEach(() => {
  root = document.body.appendChild(document.createElement("div"));
});
afterEach(() => {
  render(null, root);
  root.remove();
});

const button = (name: RegExp) => [...root.querySelectorAll("button")].find((element) => name.test(element.textContent));

it.each(GAMES)("the deal of %s goes on to its end", async (game) => {
  await loadLanguage("en");
  const deal = await loadDeal(game, "en");
  await act(() => {
    render(<Guided game={game} />, root);
  });
  for (const prompt of deal?.prompts ?? []) {
    await until(() => {
      expect(root.textContent).toContain(prompt);
    });
    await act(() => {
      button(/^Go on with: .+/)?.click();
    });
  }
  expect(root.textContent).toContain(deal?.end);
  expect(root.textContent).not.toMatch(/undefined|\b(learn|match|numbers)[._]\w+/);
});

it("another legal move is named, and the deal waits for its own", async () => {
  await loadLanguage("en");
  await act(() => {
    render(<Guided game="mokkaik" />, root);
  });
  await until(() => {
    expect(root.querySelector("button.piece")).not.toBeNull();
  });
  await act(() => {
    root.querySelector<HTMLElement>('button[aria-label*="black"]')?.click();
  });
  await act(() => {
    button(/^Play: /)?.click();
  });
  expect(root.textContent).toContain("That is allowed, too");
  expect(root.textContent).toContain("Decision 1 of 5");
});
