/**
 * Which part of the contract the page can reach. The rest weighs nothing in the built page: an arena's descriptor alone has
 * more methods that only programs call than the start page has calls.
 *
 * Whatever the sources name by a word counts as reached, so this errs towards too much: a method by the name under which it
 * is called, a message or an enum by its own. What they reach by their fields is reached, too. The names of an enum's values
 * are needed only in what is written as JSON or shown field by field.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { type DescriptorProto, type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

export const WRITTEN = /\bfileDesc\("([A-Za-z0-9+/]*)"/;

export interface Reached {
  /** The whole names of messages and enums, such as `fudaba.v1.Ladder`. */
  readonly types: ReadonlySet<string>;
  /** The whole names of methods, such as `fudaba.v1.ArenaService.GetLadder`. */
  readonly methods: ReadonlySet<string>;
  /** Those of the types whose values sources write by their names. */
  readonly written: ReadonlySet<string>;
}

export function fileOf(base64: string): FileDescriptorProto {
  return fromBinary(FileDescriptorProtoSchema, Buffer.from(base64, "base64"));
}

/** The name under which a client calls a method. */
function called(method: string): string {
  return method.charAt(0).toLowerCase() + method.slice(1);
}

/** Calls after which values of enums are written by their names: as JSON, and on a board of fields. */
const WRITING_CALL = /\b(?:toJson(?:String)?|messageOf)\(\s*(\w+)Schema\b/g;

/** What is reached of some files of the contract by some sources. */
export function reached(files: readonly FileDescriptorProto[], sources: readonly string[]): Reached {
  const words = new Set(sources.flatMap((source) => source.match(/\w+/g) ?? []));
  const writers = new Set(
    sources.flatMap((source) => [...source.matchAll(WRITING_CALL)].map(([, name]) => name ?? "")),
  );
  const fields = new Map<string, readonly string[]>();
  const named: string[] = [];
  const roots: string[] = [];
  const add = (name: string, typeName: string, types: readonly string[]) => {
    fields.set(typeName, types);
    if (words.has(name) || words.has(`${name}Schema`)) named.push(typeName);
    if (writers.has(name)) roots.push(typeName);
  };
  const addMessage = (prefix: string, { name, field, nestedType, enumType }: DescriptorProto) => {
    const own = `${prefix}.${name}`;
    add(
      name,
      own,
      field.flatMap(({ typeName }) => (typeName === "" ? [] : [typeName.slice(1)])),
    );
    for (const nested of nestedType) addMessage(own, nested);
    for (const { name: enumName } of enumType) add(enumName, `${own}.${enumName}`, []);
  };
  const methods = new Set<string>();
  for (const file of files) {
    for (const message of file.messageType) addMessage(file.package, message);
    for (const { name } of file.enumType) add(name, `${file.package}.${name}`, []);
    for (const service of file.service)
      for (const method of service.method.filter(({ name }) => words.has(called(name)))) {
        methods.add(`${file.package}.${service.name}.${method.name}`);
        named.push(method.inputType.slice(1), method.outputType.slice(1));
      }
  }
  return { types: closure(named, fields), methods, written: closure(roots, fields) };
}

/** Some types, and all that stand in their fields. */
function closure(from: readonly string[], fields: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...from];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(fields.get(next) ?? []));
  }
  return found;
}

/** The same of a folder of sources, whose folder `gen` has the contract. */
export function reachedIn(folder: string): Reached {
  const sources: string[] = [];
  const files: FileDescriptorProto[] = [];
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(entry)) continue;
    const source = readFileSync(join(folder, entry), "utf8");
    const base64 = WRITTEN.exec(source)?.[1];
    if (base64 !== undefined) files.push(fileOf(base64));
    else sources.push(source);
  }
  return reached(files, sources);
}
