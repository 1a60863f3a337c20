/** Whoever leaves while a secret is on the screen that is not ticked is asked whether to. */
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadLanguage, loadTexts } from "~/i18n";
import { Secret } from "~/parts/secret";

let root: HTMLElement;

beforeEach(async () => {
  await loadLanguage("en");
  await loadTexts("enter");
  root = document.body.appendChild(document.createElement("div"));
});
afterEach(async () => {
  await act(() => {
    render(null, root);
  });
  root.remove();
  vi.restoreAllMocks();
});

async function show(secret: string): Promise<void> {
  await act(() => {
    render(<Secret key={secret}>{secret}</Secret>, root);
  });
}

/** Whether the page asks whoever leaves it now. */
function asks(): boolean {
  const leaving = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(leaving);
  return leaving.defaultPrevented;
}

it("asks until the secret is ticked", async () => {
  await show("first");
  expect(asks()).toBe(true);
  await act(() => {
    root.querySelector("input")?.click();
  });
  expect(asks()).toBe(false);
});

it("asks no longer when the secret is gone", async () => {
  await show("first");
  await act(() => {
    render(null, root);
  });
  expect(asks()).toBe(false);
});

it("has the browser ask also in the moment in which another secret takes its place", async () => {
  await show("first");
  const removed = vi.spyOn(window, "removeEventListener");
  await show("second");
  expect(removed.mock.calls.filter(([type]) => type === "beforeunload")).toEqual([]);
  expect(asks()).toBe(true);
});
