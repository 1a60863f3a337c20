/** From page to page of a long list. */
import { t } from "~/i18n";
import "~/parts/pager.css";

export interface PagerProps {
  /** The page that is shown, counted from 0. */
  readonly page: number;
  /** How many there are on a page. */
  readonly size: number;
  readonly count: number;
  readonly show: (page: number) => void;
}

/** Nothing where all is on one page. */
export function Pager({ page, size, count, show }: PagerProps) {
  if (count <= size) return null;
  const last = Math.ceil(count / size) - 1;
  return (
    <nav class="pager" aria-label={t("shell.pages")}>
      <button
        type="button"
        class="small"
        disabled={page === 0}
        onClick={() => {
          show(page - 1);
        }}
      >
        {t("shell.earlier")}
      </button>
      <span class="numbers" aria-live="polite">
        {t("shell.pageOf", { from: page * size + 1, to: Math.min(count, (page + 1) * size), count })}
      </span>
      <button
        type="button"
        class="small"
        disabled={page >= last}
        onClick={() => {
          show(page + 1);
        }}
      >
        {t("shell.later")}
      </button>
    </nav>
  );
}
