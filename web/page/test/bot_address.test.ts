import { expect, it } from "vitest";
import { runCommand } from "~/api/bot_address";

const at = { address: "play.example.org:7713", tls: true, sure: true };

it("what to paste names the token and the address, and TLS where there is some", () => {
  const lines = ["export FUDABA_TOKEN=fdb_x", "export FUDABA_SERVER=play.example.org:7713"];
  expect(runCommand("fdb_x", at).split("\n")).toEqual([...lines, "export FUDABA_TLS=true", "python3 bot.py"]);
  expect(runCommand("fdb_x", { ...at, tls: false }).split("\n")).toEqual([...lines, "python3 bot.py"]);
});
