/**
 * Files of tests share two processes, and the document of each: to make one for every file takes longer than the tests.
 * A file has its own modules of `src` all the same, and begins with nothing of what another one did to the document.
 */
import { afterAll, vi } from "vitest";

vi.resetModules();

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
  document.title = "";
  document.documentElement.lang = "";
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
});
