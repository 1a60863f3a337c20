/** The first few of each ladder. */
import { lazy } from "preact-iso";
import { useCallback } from "preact/hooks";
import { arena } from "~/api/start_page";
import type { Ladder } from "~/gen/fudaba/v1/arena_pb";
import { loadTexts, number, t } from "~/i18n";
import { LadderStateTag } from "~/parts/ladder/states";
import { OVERALL } from "~/parts/games";
import { nameOf } from "~/parts/ladder/names";
import { Shown, useLoad } from "~/parts/load";
import { LooksLike } from "~/parts/looks_like";

const NoLadder = lazy(async () => {
  return (await Promise.all([import("~/parts/home/no_ladder"), loadTexts("begin")]))[0];
});

const MAX_RANKED_ROWS = 5;
const MAX_LADDERS = 6;

const load = (signal: AbortSignal) => arena.listLadders({ pageSize: MAX_LADDERS }, { signal });

export default function Tops() {
  const read = useLoad(load);
  return (
    <Shown loaded={read}>
      {({ ladders }) =>
        ladders.length === 0 ? (
          <NoLadder />
        ) : (
          <>
            {ladders.map((ladder) => (
              <Top key={ladder.name} ladder={ladder} />
            ))}
          </>
        )
      }
    </Shown>
  );
}

function Top({ ladder }: { ladder: Ladder }) {
  const { name } = ladder;
  const games = ladder.tournament?.definition?.games ?? [];
  const game = games.length > 1 ? OVERALL : (games[0]?.game ?? "");
  const read = useLoad(
    useCallback((signal: AbortSignal) => arena.getStandings({ tournament: name, game }, { signal }), [name, game]),
  );
  return (
    <section class="sheet top">
      <p class="row apart">
        <strong>
          <a href={`/ladders/${name}`}>{name}</a>
        </strong>
        <LadderStateTag state={ladder.state} />
      </p>
      <Shown loaded={read}>
        {({ standings }) => {
          const rows = (standings[0]?.rows ?? []).filter((row) => row.rank !== undefined).slice(0, MAX_RANKED_ROWS);
          return rows.length === 0 ? (
            <p class="quiet">{t("site.noRanks")}</p>
          ) : (
            <table>
              <caption class="unseen">{t("ladder.standingsIn", { game: name })}</caption>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.bot}>
                    <td class="number quiet">{row.rank}</td>
                    <th scope="row">
                      <a class="plain" href={`/bots/${nameOf(row.bot)}`}>
                        {nameOf(row.bot)}
                      </a>
                      <LooksLike other={row.looksLike} />
                    </th>
                    <td class="number">{number(row.rating)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          );
        }}
      </Shown>
    </section>
  );
}
