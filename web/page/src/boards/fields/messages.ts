/** Messages as text, by their descriptors alone: what a board shows of a game that it knows nothing of. */
import type { DescEnum, DescField, DescMessage, Message } from "@bufbuild/protobuf";

type Values = Readonly<Record<string, unknown>>;

/** A field that is set, with its value. */
export interface Entry {
  readonly field: DescField;
  readonly value: unknown;
}

/** The fields of a message that are set, in their order. */
export function entriesOf(desc: DescMessage, message: Message): Entry[] {
  const values = message as unknown as Values;
  return desc.fields.flatMap((field) => {
    const value = valueOf(field, values);
    return value === undefined ? [] : [{ field, value }];
  });
}

/** The value of a field; undefined of one that is absent, or that its oneof is not set to. */
function valueOf(field: DescField, values: Values): unknown {
  if (field.oneof === undefined) return values[field.localName];
  const set = values[field.oneof.localName] as { readonly case?: string; readonly value?: unknown };
  return set.case === field.localName ? set.value : undefined;
}

/** The values of a field: of a repeated one as many as it has. */
export function valuesOf({ field, value }: Entry): unknown[] {
  if (field.fieldKind === "list") return value as unknown[];
  return field.fieldKind === "map" ? Object.values(value as Values) : [value];
}

/** A value of a field, as text. */
export function valueText(field: DescField, value: unknown): string {
  if (field.message !== undefined) return messageText(field.message, value as Message);
  return field.enum === undefined ? String(value) : enumText(field.enum, value as number);
}

function enumText(desc: DescEnum, value: number): string {
  return desc.value[value]?.localName.toLowerCase() ?? String(value);
}

/**
 * A message in a line, such as `play 7`. Values stand without their names where their order says which they are; what is
 * false is left out, and what is true says its name.
 */
export function messageText(desc: DescMessage, message: Message): string {
  const lists = desc.fields.filter(({ fieldKind }) => fieldKind === "list");
  const parts = entriesOf(desc, message).flatMap((entry) => {
    const { field, value } = entry;
    const name = field.name.replaceAll("_", " ");
    if (typeof value === "boolean") return value ? [name] : [];
    const texts = valuesOf(entry).map((item) => valueText(field, item));
    const isNamed = mayBeAbsent(field) || (lists.length > 1 && field.fieldKind === "list" && texts.length > 0);
    return isNamed ? [name, ...texts] : texts;
  });
  return parts.filter((part) => part !== "").join(" ");
}

/** Whether a field of one value may be absent, so that its place among the others does not say which it is. */
function mayBeAbsent(field: DescField): boolean {
  if (field.oneof !== undefined) return true;
  return (field.fieldKind === "scalar" || field.fieldKind === "enum") && isExplicit(field.presence);
}

/** Whether it is `FeatureSet_FieldPresence.EXPLICIT` of the library, whose enum would bring all of its descriptors along. */
function isExplicit(presence: number): boolean {
  return presence === 1;
}

/** An identifier of the contract in words: `hand_sizes` is "Hand sizes". */
export function inWords(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
