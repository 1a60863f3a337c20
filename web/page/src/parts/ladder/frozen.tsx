/** Since when a season's standings are frozen, and when they open. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Tournament } from "~/gen/fudaba/v1/arena_pb";
import { t, time } from "~/i18n";

export function Frozen({ tournament }: { tournament: Tournament }) {
  const words = frozenInWords(tournament);
  return words === undefined ? null : <p class="notice">{words}</p>;
}

/** The same in the reader's zone and language; undefined where they are not frozen. */
export function frozenInWords({ standingsFrozenTime, standingsOpenTime }: Tournament): string | undefined {
  if (standingsFrozenTime === undefined) return undefined;
  const since = time(timestampDate(standingsFrozenTime));
  if (standingsOpenTime === undefined) return t("ladder.frozen", { since });
  return t("ladder.frozenUntil", { since, opens: time(timestampDate(standingsOpenTime)) });
}
