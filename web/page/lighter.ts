/** What the build leaves out of the page: nothing that it does, only weight. */
import { fromBinary } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  FieldDescriptorProto_Label,
  type FieldDescriptorProto,
  FileDescriptorProtoSchema,
  type MethodDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import type { Plugin } from "vite";
import {
  type Described,
  type Enum,
  type Field,
  MEMBER,
  type Message,
  type Method,
  OPTIONAL,
  PLAIN,
  REPEATED,
} from "./src/api/described.ts";

const WRITTEN = /\bfileDesc\("([A-Za-z0-9+/]*)"/;

/** Descriptors as `src/api/described.ts` reads them; they compress to less than half of what base64 does. */
export function shortDescriptors(): Plugin {
  return {
    name: "short-descriptors",
    apply: "build",
    transform(code, id) {
      const base64 = /_pb\.[jt]s$/.test(id) ? WRITTEN.exec(code)?.[1] : undefined;
      const short = base64 === undefined ? undefined : shortened(base64);
      if (short === undefined) return null;
      const written = code.replace(WRITTEN, () => `described(${JSON.stringify(short)}`);
      return { code: `import { described } from "~/api/described";\n${written}`, map: null };
    },
  };
}

/** A descriptor in base64, as the generated code has it, made short; undefined if it has what the contract does without. */
export function shortened(base64: string): Described | undefined {
  const file = fromBinary(FileDescriptorProtoSchema, Buffer.from(base64, "base64"));
  if (file.syntax !== "proto3" || file.extension.length > 0) return undefined;
  const services = file.service.map(({ name, method }) => [name, method.map(shortMethod)] as const);
  return [file.name, file.package, file.messageType.map(shortMessage), file.enumType.map(shortEnum), services];
}

function shortMessage(of: DescriptorProto): Message {
  // A field that may be absent has a oneof of its own, which nobody sees; those stand behind the others.
  const seen = of.oneofDecl.filter((_, at) => of.field.some((one) => isMember(one) && one.oneofIndex === at));
  const oneofs = seen.map(({ name }) => name);
  const rest = [oneofs, of.nestedType.map(shortMessage), of.enumType.map(shortEnum)] as const;
  return of.options?.mapEntry === true
    ? [of.name, of.field.map(shortField), ...rest, true]
    : [of.name, of.field.map(shortField), ...rest];
}

function isMember(of: FieldDescriptorProto): boolean {
  return !of.proto3Optional && Object.hasOwn(of, "oneofIndex");
}

function shortField(of: FieldDescriptorProto): Field {
  let how = PLAIN;
  if (of.label === FieldDescriptorProto_Label.REPEATED) how = REPEATED;
  else if (of.proto3Optional) how = OPTIONAL;
  else if (isMember(of)) how = MEMBER + of.oneofIndex;
  const field = [of.name, of.number, of.type, how] as const;
  return of.typeName === "" ? field : [...field, of.typeName.slice(1)];
}

function shortEnum(of: EnumDescriptorProto): Enum {
  return [of.name, Object.fromEntries(of.value.map(({ name, number }) => [name, number]))];
}

function shortMethod(of: MethodDescriptorProto): Method {
  const streams = `${of.clientStreaming ? "c" : ""}${of.serverStreaming ? "s" : ""}`;
  const method = [of.name, of.inputType.slice(1), of.outputType.slice(1), streams] as const;
  const level = of.options?.idempotencyLevel ?? 0;
  return level === 0 ? method : [...method, level];
}

/** Connect can write messages as JSON, too, which this page never asks for: `src/api/binary_only.ts` is what it gets. */
export function binaryOnly(instead: string): Plugin {
  return {
    name: "binary-only",
    apply: "build",
    enforce: "pre",
    resolveId(source, importer) {
      return source === "@bufbuild/protobuf" && importer?.includes("/@connectrpc/") === true ? instead : null;
    },
  };
}
