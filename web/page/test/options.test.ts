/** Options stand in words, those first that players want, and one without words is not lost. */
import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { OptionSchema } from "~/gen/fudaba/v1/catalog_pb";
import { inOrder, loadOptions } from "~/learn/options";

const named = (name: string) => create(OptionSchema, { name });

it("stand in the order of their words, and then those without", async () => {
  const words = await loadOptions("tashot", "en");
  const shown = inOrder(["unheard", "window_ms", "first_dealer", "deals"].map(named), words);
  expect(shown.map(({ name }) => name)).toEqual(["deals", "first_dealer", "window_ms", "unheard"]);
});

it("have the words of their own game in the reader's language", async () => {
  const [english, japanese] = [await loadOptions("namto", "en"), await loadOptions("namto", "ja")];
  expect(english.get("deals")?.means).toContain("twice as many");
  expect(japanese.get("deals")?.means).toContain("二倍");
  expect(english.has("lights")).toBe(false);
});
