/** What the built page knows of the contract is what the generated code says. */
import type { DescField, DescFile, DescMessage } from "@bufbuild/protobuf";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { shortened } from "../lighter";
import { described } from "~/api/described";

const generated = import.meta.glob<Record<string, unknown>>("../src/gen/**/*_pb.ts", { eager: true });

function fileIn(module: Record<string, unknown>): DescFile {
  const found = Object.values(module).find((exported) => (exported as { kind?: string }).kind === "file");
  return found as DescFile;
}

/** All that a message is read and written by. */
function messageSummary(message: DescMessage): unknown {
  const field = (descriptor: DescField) => [
    ...[
      descriptor.localName,
      descriptor.jsonName,
      descriptor.number,
      descriptor.fieldKind,
      descriptor.scalar,
      descriptor.enum?.typeName,
      descriptor.message?.typeName,
    ],
    ...[descriptor.presence, descriptor.oneof?.localName, descriptor.utf8Validation],
    descriptor.fieldKind === "list" && [descriptor.listKind, descriptor.packed],
    descriptor.fieldKind === "map" && [descriptor.mapKey, descriptor.mapKind],
    descriptor.fieldKind !== "list" && descriptor.fieldKind !== "map" && descriptor.getDefaultValue(),
  ];
  return {
    name: message.typeName,
    members: message.members.map((member) =>
      member.kind === "oneof" ? [member.localName, member.fields.map(field)] : field(member),
    ),
    enums: message.nestedEnums.map(enumeration),
    nested: message.nestedMessages.map(messageSummary),
  };
}

function enumeration(descriptor: DescFile["enums"][number]): unknown {
  return [
    descriptor.typeName,
    descriptor.open,
    descriptor.sharedPrefix,
    descriptor.values.map(({ localName, number }) => [localName, number]),
  ];
}

function whole(file: DescFile): unknown {
  return {
    name: file.name,
    dependencies: file.dependencies.map(({ name }) => name),
    messages: file.messages.map(messageSummary),
    enums: file.enums.map(enumeration),
    services: file.services.map(({ typeName, methods }) => [
      typeName,
      ...methods.map((method) => [
        method.localName,
        method.methodKind,
        method.input.typeName,
        method.output.typeName,
        method.idempotency,
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
