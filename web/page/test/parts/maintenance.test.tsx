/** Maintenance is said above every page until it is over, by the service's clock, and nothing where there is none. */
import { render } from "preact";
import { LocationProvider } from "preact-iso";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { chooseLanguage, loadLanguage, time } from "~/i18n";
import { Maintenance } from "~/parts/maintenance";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const root = document.createElement("div");
/** The service's answer; an error while it is away. */
let answer: () => Response;

function maintenance(beginMs: number, endMs: number, aheadMs = 0): () => Response {
  const at = (ms: number) => new Date(ms + aheadMs).toISOString();
  const announced = { id: "m", beginTime: at(beginMs), endTime: at(endMs), text: "New disks" };
  return () => Response.json({ maintenance: announced, now: at(Date.now()) });
}

async function pass(ms: number) {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
    await vi.dynamicImportSettled();
  });
}

async function shown(path = "/") {
  history.replaceState(null, "", path);
  await act(() => {
    render(
      <LocationProvider>
        <Maintenance />
      </LocationProvider>,
      root,
    );
  });
  await pass(2_000);
}

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", () => Promise.resolve(answer()));
  await loadLanguage("en");
});
afterEach(() => {
  render(null, root);
});

test("without maintenance nothing is said, in a place that a screen reader follows", async () => {
  answer = () => Response.json({ now: new Date().toISOString() });
  await shown();
  expect(root.innerHTML).toBe('<div role="status"></div>');
});

test.each([0, 3 * DAY_MS])(
  "it is announced, under way, and gone by itself while the service is away",
  async (ahead) => {
    const now = Date.now();
    const [begin, end] = [now + 10 * MINUTE_MS, now + 20 * MINUTE_MS];
    answer = maintenance(begin, end, ahead);
    await shown();
    const [from, until] = [time(new Date(begin)), time(new Date(end))];
    expect(root.textContent).toContain(`Maintenance from ${from} until ${until}: New disks`);
    answer = () => Response.error();
    await pass(10 * MINUTE_MS);
    expect(root.textContent).toContain(`Maintenance until ${until}: New disks`);
    await chooseLanguage("ja");
    await pass(0);
    expect(root.textContent).toContain("メンテナンス中");
    await pass(10 * MINUTE_MS);
    expect(root.textContent).toBe("");
  },
);

test("it is gone when it was ended early, and comes when it is announced", async () => {
  const none = () => Response.json({ now: new Date().toISOString() });
  answer = none;
  await shown();
  answer = maintenance(Date.now(), Date.now() + DAY_MS);
  await pass(MINUTE_MS);
  expect(root.textContent).toContain("New disks");
  answer = none;
  await pass(MINUTE_MS);
  expect(root.textContent).toBe("");
});

test("what is announced for a later week is said in its week", async () => {
  answer = maintenance(Date.now() + 8 * DAY_MS, Date.now() + 9 * DAY_MS);
  await shown();
  expect(root.textContent).toBe("");
  answer = () => Response.error();
  await pass(DAY_MS);
  expect(root.textContent).toContain("New disks");
});

test.each(["/embed/m-1", "/now"])("nothing stands above %s", async (path) => {
  answer = maintenance(Date.now(), Date.now() + DAY_MS);
  await shown(path);
  expect(root.innerHTML).toBe("");
});
