/** What the build leaves out of the page: nothing that it does, only weight. */
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  FieldDescriptorProto_Label,
  type FieldDescriptorProto,
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
import { type Reached, WRITTEN, fileOf, reachedIn } from "./reached.ts";

/**
 * Descriptors as `src/api/described.ts` reads them, of what the sources in a folder reach; they compress to less than half
 * of what base64 does.
 */
export function shortDescriptors(sources: string): Plugin {
  let found: Reached | undefined;
  return {
    name: "short-descriptors",
    apply: "build",
    buildStart() {
      found = reachedIn(sources);
    },
    transform(code, id) {
      const base64 = /_pb\.[jt]s$/.test(id) ? WRITTEN.exec(code)?.[1] : undefined;
      const short = base64 === undefined ? undefined : shortened(base64, found);
      if (short === undefined) return null;
      const written = code.replace(WRITTEN, () => `described(${JSON.stringify(short)}`);
      return { code: `import { described } from "~/api/described";\n${written}`, map: null };
    },
  };
}

/**
 * A descriptor in base64, as the generated code has it, made short; undefined if it has what the contract does without.
 * Generated code finds types by their places, so what nobody reaches keeps its place and loses what it consists of.
 */
export function shortened(base64: string, found?: Reached): Described | undefined {
  const file = fileOf(base64);
  if (file.syntax !== "proto3" || file.extension.length > 0) return undefined;
  const short = shortIn(`.${file.package}.`);
  const whole = (name: string) => `${file.package}.${name}`;
  const isReached = (name: string) => found === undefined || found.types.has(whole(name));
  const isWritten = (name: string) => found === undefined || found.written.has(whole(name));
  const messages = file.messageType.map((message): Message =>
    isReached(message.name) ? short.message(message) : [message.name, []],
  );
  const enums = file.enumType.map((descriptor): Enum =>
    isWritten(descriptor.name) ? shortEnum(descriptor) : [descriptor.name, { "": 0 }],
  );
  const services = file.service.map(({ name, method }) => {
    const called = method.filter((each) => found === undefined || found.methods.has(whole(`${name}.${each.name}`)));
    return [name, called.map(short.method)] as const;
  });
  return [file.name, file.package, messages, enums, services];
}

/** What makes descriptors of a package short; `prefix` is the package between dots, and names have a dot before them. */
function shortIn(prefix: string) {
  const typeNamed = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
  const message = (descriptor: DescriptorProto) => shortMessage(descriptor, message, field);
  const field = (descriptor: FieldDescriptorProto) => shortField(descriptor, typeNamed);
  const method = (descriptor: MethodDescriptorProto) => shortMethod(descriptor, typeNamed);
  return { message, method };
}

function shortMessage(
  descriptor: DescriptorProto,
  message: (nested: DescriptorProto) => Message,
  field: (member: FieldDescriptorProto) => Field,
): Message {
  // A field that may be absent has a oneof of its own, which nobody sees; those stand behind the others.
  const seen = descriptor.oneofDecl.filter((_, at) =>
    descriptor.field.some((field) => isMember(field) && field.oneofIndex === at),
  );
  const oneofs = seen.map(({ name }) => name);
  const rest = [oneofs, descriptor.nestedType.map(message), descriptor.enumType.map(shortEnum)] as const;
  const fields = descriptor.field.map(field);
  if (descriptor.options?.mapEntry === true) return [descriptor.name, fields, ...rest, true];
  const last = rest.findLastIndex((part) => part.length > 0);
  return [descriptor.name, fields, ...rest.slice(0, last + 1)] as unknown as Message; // what is empty may be left out
}

function isMember(field: FieldDescriptorProto): boolean {
  return !field.proto3Optional && Object.hasOwn(field, "oneofIndex");
}

function shortField(descriptor: FieldDescriptorProto, typeNamed: (name: string) => string): Field {
  let how = PLAIN;
  if (descriptor.label === FieldDescriptorProto_Label.REPEATED) how = REPEATED;
  else if (descriptor.proto3Optional) how = OPTIONAL;
  else if (isMember(descriptor)) how = MEMBER + descriptor.oneofIndex;
  const field = [descriptor.name, descriptor.number, descriptor.type] as const;
  if (descriptor.typeName !== "") return [...field, how, typeNamed(descriptor.typeName)];
  return how === PLAIN ? field : [...field, how];
}

function shortEnum(descriptor: EnumDescriptorProto): Enum {
  return [descriptor.name, Object.fromEntries(descriptor.value.map(({ name, number }) => [name, number]))];
}

function shortMethod(descriptor: MethodDescriptorProto, typeNamed: (name: string) => string): Method {
  const streams = `${descriptor.clientStreaming ? "c" : ""}${descriptor.serverStreaming ? "s" : ""}`;
  const types = [typeNamed(descriptor.inputType), typeNamed(descriptor.outputType)] as const;
  const method = [descriptor.name, ...types, streams] as const;
  const level = descriptor.options?.idempotencyLevel ?? 0;
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
