/** What the built page knows of the contract is what the generated code says. */
import type { DescField, DescFile, DescMessage } from "@bufbuild/protobuf";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { shortened } from "../lighter";
import { described } from "~/api/described";

const generated = import.meta.glob<Record<string, unknown>>("../src/gen/**/*_pb.ts", { eager: true });

function fileIn(module: Record<string, unknown>): DescFile {
  const found = Object.values(module).find((one) => (one as { kind?: string }).kind === "file");
  return found as DescFile;
}

/** All that a message is read and written by. */
function told(message: DescMessage): unknown {
  const field = (one: DescField) => [
    ...[one.localName, one.jsonName, one.number, one.fieldKind, one.scalar, one.enum?.typeName, one.message?.typeName],
    ...[one.presence, one.oneof?.localName, one.utf8Validation],
    one.fieldKind === "list" && [one.listKind, one.packed],
    one.fieldKind === "map" && [one.mapKey, one.mapKind],
    one.fieldKind !== "list" && one.fieldKind !== "map" && one.getDefaultValue(),
  ];
  return {
    name: message.typeName,
    members: message.members.map((one) => (one.kind === "oneof" ? [one.localName, one.fields.map(field)] : field(one))),
    enums: message.nestedEnums.map(enumeration),
    nested: message.nestedMessages.map(told),
  };
}

function enumeration(of: DescFile["enums"][number]): unknown {
  return [of.typeName, of.open, of.sharedPrefix, of.values.map(({ localName, number }) => [localName, number])];
}

function whole(file: DescFile): unknown {
  return {
    name: file.name,
    dependencies: file.dependencies.map(({ name }) => name),
    messages: file.messages.map(told),
    enums: file.enums.map(enumeration),
    services: file.services.map(({ typeName, methods }) => [
      typeName,
      ...methods.map((one) => [
        one.localName,
        one.methodKind,
        one.input.typeName,
        one.output.typeName,
        one.idempotency,
      ]),
    ]),
  };
}

describe("a descriptor that is written short", () => {
  it.each(Object.keys(generated))("says the same: %s", (path) => {
    const file = fileIn(generated[path] ?? {});
    const source = readFileSync(new URL(path, import.meta.url), "utf8");
    const short = shortened(/fileDesc\("([^"]*)"/.exec(source)?.[1] ?? "");
    expect(file.messages.length + file.enums.length + file.services.length).toBeGreaterThan(0);
    if (short === undefined) throw new Error("it cannot be written short");
    expect(whole(described(short, file.dependencies))).toEqual(whole(file));
  });
});
