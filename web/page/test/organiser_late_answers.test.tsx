/** An answer that comes when other fields stand in a form is none to them; and an earlier arena annuls no more than is meant. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { ComponentChild } from "preact";
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { arena } from "~/api/arena";
import { type AnnulBlocksResponse, AnnulBlocksResponseSchema } from "~/gen/fudaba/v1/arena_pb";
import { loadLanguage, loadTexts, t } from "~/i18n";
import { Annul } from "~/parts/organiser/annul";
import { DefinitionForm } from "~/parts/organiser/definition_form";
import { until } from "./until";

let root: HTMLElement;

beforeEach(async () => {
  await loadLanguage("en");
  await loadTexts("organiser", "begin", "enter");
  root = document.body.appendChild(document.createElement("div"));
});
afterEach(async () => {
  await show(null);
  root.remove();
  vi.restoreAllMocks();
});

async function show(form: ComponentChild): Promise<void> {
  await act(() => {
    render(form, root);
  });
}

function button(text: string): HTMLElement | undefined {
  return [...root.querySelectorAll("button")].find(({ textContent }) => textContent === text);
}

async function press(text: string): Promise<void> {
  await act(() => {
    button(text)?.click();
  });
}

async function fill(field: HTMLInputElement | HTMLTextAreaElement | null | undefined, text: string): Promise<void> {
  await act(() => {
    if (!field) throw new Error("there is no such field");
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  });
}

/** Fills a field of the form for annulments. */
async function name(key: "tournament" | "blocks" | "bot" | "pair" | "game" | "reason", text: string): Promise<void> {
  const label = [...root.querySelectorAll("label")].find(
    ({ textContent }) => textContent === t(`organiser.annul.${key}`),
  );
  await fill(label?.querySelector("input"), text);
}

/** The answer has come once the button may be pressed again. */
async function answered(text: string): Promise<void> {
  await until(() => {
    expect(button(text)?.getAttribute("aria-disabled")).toBe("false");
  });
}

/** What an arena answers later, to each call in its turn. */
function lateAnswers<T>() {
  const answers: ((answer: T) => void)[] = [];
  const ask = () =>
    new Promise<T>((resolve) => {
      answers.push(resolve);
    });
  const answer = (at: number, value: T) =>
    act(() => {
      answers[at]?.(value);
    });
  return { ask, answer };
}

const LOOK = "Show what it does";
const ANNUL = "Annul results";

describe("the form for annulments", () => {
  beforeEach(async () => {
    await show(<Annul />);
    await name("tournament", "open.1");
    await name("reason", "a broken machine");
  });

  const answerFor = (blocks: bigint[]) => create(AnnulBlocksResponseSchema, { blocks, effect: { blocksBefore: 9n } });

  it("annuls nothing that was looked at for other fields", async () => {
    const { ask, answer } = lateAnswers<AnnulBlocksResponse>();
    const calls = vi.spyOn(arena, "annulBlocks").mockImplementation(ask);
    await name("blocks", "1");
    await press(LOOK);
    await name("blocks", "2");
    await answer(0, answerFor([1n]));
    await answered(LOOK);
    expect(button(ANNUL)).toBeUndefined();

    await press(LOOK);
    await answer(1, answerFor([2n]));
    await until(() => {
      expect(button(ANNUL)).toBeDefined();
    });
    await press(ANNUL);
    await press(t("account.yes"));
    expect(calls).toHaveBeenLastCalledWith(expect.objectContaining({ blocks: [2n], reason: "a broken machine" }));
  });

  it("annuls no whole blocks at an arena that does not know pairs", async () => {
    const calls = vi.spyOn(arena, "annulBlocks").mockImplementation(({ blocks = [] }) => {
      const words = "say which blocks: --blocks, --bot, --worker, --since or --until";
      if (blocks.length === 0) return Promise.reject(new ConnectError(words, Code.FailedPrecondition));
      return Promise.resolve(answerFor([...blocks]));
    });
    await name("blocks", "1-2");
    await name("bot", "robot");
    await name("pair", "android");
    await press(LOOK);
    await answered(LOOK);
    expect(button(ANNUL)).toBeUndefined();
    expect(root.querySelector("[role=alert]")?.textContent).toBe(t("organiser.annulPairUnknown"));
    for (const [request] of calls.mock.calls) expect(request.validateOnly).toBe(true);
  });

  it("annuls no blocks of other games at an arena that does not know games", async () => {
    const calls = vi.spyOn(arena, "annulBlocks").mockImplementation(({ blocks = [], pair = [] }) => {
      const words = "say which blocks: --blocks, --bot, --pair, --worker, --since or --until";
      if (blocks.length + pair.length === 0) return Promise.reject(new ConnectError(words, Code.FailedPrecondition));
      return Promise.resolve(answerFor([1n, 2n]));
    });
    await name("bot", "robot");
    await name("pair", "android");
    await name("game", "naga");
    await press(LOOK);
    await answered(LOOK);
    expect(button(ANNUL)).toBeUndefined();
    expect(root.querySelector("[role=alert]")?.textContent).toBe(t("organiser.annulGameUnknown"));
    for (const [request] of calls.mock.calls) expect(request.validateOnly).toBe(true);
  });
});

describe("the form for a file", () => {
  it("says of a file nothing that was found of another one", async () => {
    const { ask, answer } = lateAnswers<string>();
    const form = { label: "File", example: "good", check: ask, create: () => Promise.resolve(), made: () => undefined };
    await show(<DefinitionForm {...form} />);
    const said = () => root.querySelector("[role=status]")?.textContent;
    await press(t("organiser.check"));
    await fill(root.querySelector("textarea"), "bad");
    await answer(0, "it is good");
    await answered(t("organiser.check"));
    expect(said()).toBeUndefined();

    await press(t("organiser.check"));
    await answer(1, "it is bad");
    await until(() => {
      expect(said()).toBe("it is bad");
    });
  });
});
