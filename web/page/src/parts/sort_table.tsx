/** A table whose columns can be sorted by, a page of rows at a time. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { t } from "~/i18n";
import { Nothing } from "~/parts/load";
import { Pager } from "~/parts/pager";
import { type SortOrder, type SortValue, pageOf, sortRows } from "~/parts/sorting";
import "~/parts/sort_table.css";

export interface Column<R> {
  readonly id: string;
  /** The head, in words. */
  readonly title: string;
  /** Beside the head, such as what a word means. */
  readonly beside?: ComponentChildren;
  cell(row: R): ComponentChildren;
  /** What the rows are sorted by; without it nobody can sort by this column. */
  sort?(row: R): SortValue;
  /** Whether the greatest stand first when one begins to sort by it. */
  readonly greatestFirst?: boolean;
  readonly number?: boolean;
  readonly class?: string;
  /** Whether its cells are the heads of their rows. */
  readonly head?: boolean;
}

export interface SortTableProps<R> {
  readonly caption: string;
  readonly columns: readonly Column<R>[];
  /** As they come, until the reader sorts by a column. */
  readonly rows: readonly R[];
  rowKey(row: R): string;
  rowClass?(row: R): string;
  readonly pageSize?: number;
  readonly order?: SortOrder;
}

export function SortTable<R>(props: SortTableProps<R>) {
  const { columns, rows, pageSize = 30 } = props;
  const [order, setOrder] = useState(props.order);
  const [page, setPage] = useState(0);
  const sorted = useMemo(() => {
    const by = columns.find((column) => column.id === order?.column);
    return by?.sort === undefined || order === undefined
      ? rows
      : sortRows(rows, (row) => by.sort?.(row), order.descending);
  }, [rows, columns, order]);
  const shown = pageOf(sorted, page, pageSize);
  const drawn = useFirst() ? shown.rows.slice(0, ROWS_AT_FIRST) : shown.rows;
  if (rows.length === 0) return <Nothing>{t("ladder.noneFound")}</Nothing>;
  const sortBy = (column: Column<R>) => {
    const first = column.greatestFirst ?? false;
    setOrder({ column: column.id, descending: order?.column === column.id ? !order.descending : first });
    setPage(0);
  };
  return (
    <>
      <div class="scroll" role="region" aria-label={props.caption} tabIndex={0}>
        <table class="sorted">
          <caption class="unseen">{props.caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <Head key={column.id} column={column} order={order} sortBy={sortBy} />
              ))}
            </tr>
          </thead>
          <tbody>
            {drawn.map((row) => (
              <tr key={props.rowKey(row)} class={props.rowClass?.(row) ?? ""}>
                {columns.map((column) => (
                  <Cell key={column.id} column={column} row={row} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pager page={shown.page} size={pageSize} count={rows.length} show={setPage} />
    </>
  );
}

/** So many rows are drawn at once, which is what a window shows; the others of the page a moment later. */
const ROWS_AT_FIRST = 12;

/** Whether a part is drawn for the first time. */
function useFirst(): boolean {
  const [first, setFirst] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => {
      setFirst(false);
    });
    return () => {
      clearTimeout(timer);
    };
  }, []);
  return first;
}

function Head<R>(props: { column: Column<R>; order: SortOrder | undefined; sortBy: (column: Column<R>) => void }) {
  const { column, order } = props;
  const descending = order?.column === column.id ? order.descending : undefined;
  const sorted = descending === undefined ? undefined : descending ? "descending" : "ascending";
  return (
    <th scope="col" aria-sort={sorted} class={classOf(column)}>
      {column.sort === undefined ? (
        column.title
      ) : (
        <button
          type="button"
          class="bare sorter"
          title={t("ladder.sortBy", { column: column.title })}
          onClick={() => {
            props.sortBy(column);
          }}
        >
          {column.title}
          <span aria-hidden="true">{descending === undefined ? "↕" : descending ? "↓" : "↑"}</span>
        </button>
      )}
      {column.beside}
    </th>
  );
}

function Cell<R>(props: { column: Column<R>; row: R }) {
  const { column, row } = props;
  const name = classOf(column);
  return column.head === true ? (
    <th scope="row" class={name}>
      {column.cell(row)}
    </th>
  ) : (
    <td class={name}>{column.cell(row)}</td>
  );
}

function classOf<R>(column: Column<R>): string {
  return [column.number === true ? "number" : "", column.class ?? ""].filter(Boolean).join(" ");
}
