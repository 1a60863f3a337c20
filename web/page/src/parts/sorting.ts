/** The order of a table's rows. */

/** What a row is sorted by; what has none stands last in either direction. */
export type SortValue = number | string | undefined;

export interface SortOrder {
  readonly column: string;
  readonly descending: boolean;
}

/** The rows in this order; rows that are equal keep the order in which they came. */
export function sortRows<R>(rows: readonly R[], by: (row: R) => SortValue, descending: boolean): R[] {
  const sign = descending ? -1 : 1;
  return rows
    .map((row) => ({ row, value: by(row) }))
    .sort((left, right) => {
      if (left.value === undefined || right.value === undefined)
        return Number(left.value === undefined) - Number(right.value === undefined);
      return sign * compare(left.value, right.value);
    })
    .map(({ row }) => row);
}

function compare(left: number | string, right: number | string): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  return collator.compare(String(left), String(right));
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** Page `page`, counted from 0, of so many rows; past the end it is the last one. */
export function pageOf<R>(rows: readonly R[], page: number, size: number): { rows: readonly R[]; page: number } {
  const last = Math.max(0, Math.ceil(rows.length / size) - 1);
  const at = Math.min(Math.max(0, page), last);
  return { rows: rows.slice(at * size, (at + 1) * size), page: at };
}
