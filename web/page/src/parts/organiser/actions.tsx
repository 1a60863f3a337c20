/** What organisers did, on the service and in the arena: both logs as one, the newest first. */
import { useCallback } from "preact/hooks";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { accounts } from "~/api/accounts";
import { arena } from "~/api/arena";
import type { Action } from "~/gen/fudaba/v1/accounts_pb";
import { t, time } from "~/i18n";
import { Nothing, Shown, useLoad } from "~/parts/load";
import { Searched, Steps, usePlaces } from "~/parts/organiser/search";
import "~/parts/pager.css";

const PAGE_SIZE = 50;

/** Behind which action of each log a page begins; 0 for its newest. */
interface Place {
  readonly service: bigint;
  readonly arena: bigint;
}

const NEWEST: Place = { service: 0n, arena: 0n };

export function Actions() {
  return <Searched label={t("organiser.searchActions")}>{(query) => <List key={query} query={query} />}</Searched>;
}

function List({ query }: { query: string }) {
  const { place, places, go } = usePlaces(NEWEST);
  const read = useLoad(
    useCallback(
      async (signal: AbortSignal) => {
        const asked = { query, newestFirst: true, pageSize: PAGE_SIZE };
        const [service, own] = await Promise.all([
          accounts.listActions({ ...asked, before: place.service }, { signal }),
          arena.listArenaActions({ ...asked, before: place.arena }, { signal }),
        ]);
        return merged(service.actions, own.actions, place, PAGE_SIZE);
      },
      [query, place],
    ),
  );
  return (
    <Shown loaded={read}>
      {({ shown, next }) => (
        <>
          {shown.length === 0 ? <Nothing /> : <Table actions={shown} />}
          <Steps places={places} next={next} go={go} />
        </>
      )}
    </Shown>
  );
}

function Table({ actions }: { actions: readonly Action[] }) {
  return (
    <div class="scroll" role="region" aria-label={t("organiser.actions")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("organiser.when")}</th>
            <th scope="col">{t("organiser.what")}</th>
            <th scope="col">{t("organiser.subject")}</th>
            <th scope="col">{t("organiser.who")}</th>
          </tr>
        </thead>
        <tbody>
          {actions.map((action, at) => (
            <tr key={at}>
              <td class="nowrap">{action.time === undefined ? "" : time(timestampDate(action.time))}</td>
              <td>{action.method}</td>
              <td>{Object.entries(action.subject).map(([name, value]) => `${name} ${value} `)}</td>
              <td>{action.account || action.label || action.tokenId}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/**
 * A page of both logs as one: of each, the newest actions from a place on, at most as many as the page has. `next` is where
 * the next page begins; undefined where there is nothing more.
 */
export function merged(
  service: readonly Action[],
  own: readonly Action[],
  place: Place,
  size: number,
): { shown: readonly Action[]; next: Place | undefined } {
  const all = [
    ...service.map((action) => ({ log: "service" as const, action })),
    ...own.map((action) => ({ log: "arena" as const, action })),
  ].sort((left, right) => at(right.action) - at(left.action));
  const page = all.slice(0, size);
  const last = (log: keyof Place) => page.findLast((entry) => entry.log === log)?.action.number ?? place[log];
  const more = all.length > page.length || service.length === size || own.length === size;
  return {
    shown: page.map(({ action }) => action),
    next: more ? { service: last("service"), arena: last("arena") } : undefined,
  };
}

/** When it was, in milliseconds since 1970. */
function at({ time: when }: Action): number {
  return when === undefined ? 0 : timestampDate(when).getTime();
}
