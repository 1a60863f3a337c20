/**
 * What the contract's messages are made of, written shorter than protobuf writes it. The built page has this where the
 * generated code has a descriptor in base64 (`lighter.ts`), which is longer and takes a reader of descriptors along.
 */
import { createFileRegistry } from "@bufbuild/protobuf";
import type { DescFile } from "@bufbuild/protobuf";
import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";

/** How a field is: one value, many, one that may be absent, and, from here on, a member of the oneof with this place. */
export const [PLAIN, REPEATED, OPTIONAL, MEMBER] = [0, 1, 2, 3];

/** A type of the same package is named without it; the whole name of any other one has a dot before it. */
export type Field = readonly [name: string, number: number, type: number, how?: number, typeName?: string];
export type Enum = readonly [name: string, values: Readonly<Record<string, number>>];
export type Message = readonly [
  name: string,
  fields: readonly Field[],
  oneofs?: readonly string[],
  nested?: readonly Message[],
  enums?: readonly Enum[],
  mapEntry?: boolean,
];
export type Method = readonly [name: string, input: string, output: string, streams: string, idempotency?: number];
export type Service = readonly [name: string, methods: readonly Method[]];
export type Described = readonly [
  name: string,
  inPackage: string,
  messages: readonly Message[],
  enums: readonly Enum[],
  services: readonly Service[],
];

/** A file of the contract, in the place of `fileDesc`. */
export function described(
  [name, inPackage, messages, enums, services]: Described,
  imports: readonly DescFile[] = [],
): DescFile {
  const proto = {
    $typeName: "google.protobuf.FileDescriptorProto",
    name,
    package: inPackage,
    syntax: "proto3",
    dependency: imports.map((imported) => imported.proto.name),
    messageType: messages.map(message(inPackage)),
    enumType: enums.map(enumeration),
    service: services.map(([service, methods]) => ({ name: service, method: methods.map(method(inPackage)) })),
    extension: [],
  } as unknown as FileDescriptorProto; // what reads it looks at nothing else
  const file = createFileRegistry(proto, (wanted) =>
    imports.find((imported) => imported.proto.name === wanted),
  ).getFile(name);
  if (file === undefined) throw new Error(`${name} describes no file`);
  return file;
}

// In the built page the library's own descriptors are made before this module has run: these are functions, which are
// there by then, and what the constants above say stands in them as numbers.
function wholeName(inPackage: string, typeName: string): string {
  return typeName.startsWith(".") ? typeName.slice(1) : `${inPackage}.${typeName}`;
}

function message(inPackage: string) {
  return ([name, fields, oneofs = [], nested = [], enums = [], mapEntry = false]: Message): object => ({
    name,
    field: fields.map(field(inPackage)),
    oneofDecl: oneofs.map((oneof) => ({ name: oneof })),
    nestedType: nested.map(message(inPackage)),
    enumType: enums.map(enumeration),
    extension: [],
    ...(mapEntry && { options: { mapEntry } }),
  });
}

function field(inPackage: string) {
  return ([name, number, type, how = 0, typeName]: Field): object => ({
    name,
    number,
    type,
    typeName: typeName === undefined ? "" : wholeName(inPackage, typeName),
    label: how === 1 ? 3 : 1,
    jsonName: protoCamelCase(name),
    proto3Optional: how === 2,
    ...(how >= 3 && { oneofIndex: how - 3 }),
  });
}

function enumeration([name, values]: Enum): object {
  return { name, value: Object.entries(values).map(([valueName, number]) => ({ name: valueName, number })) };
}

function method(inPackage: string) {
  return ([name, input, output, streams, idempotencyLevel = 0]: Method): object => ({
    name,
    inputType: wholeName(inPackage, input),
    outputType: wholeName(inPackage, output),
    clientStreaming: streams.includes("c"),
    serverStreaming: streams.includes("s"),
    options: { idempotencyLevel },
  });
}
