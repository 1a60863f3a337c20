/** Wins, draws and losses as one bar, with their numbers. */
import { number, t } from "~/i18n";
import type { Score } from "~/parts/ladder/head_to_head";
import "~/parts/bot/balance.css";

export function Balance({ score }: { score: Score }) {
  const { wins, draws, losses } = score;
  const said = t("ladder.balance", { wins, draws, losses });
  if (wins + draws + losses === 0) return <span class="quiet">–</span>;
  return (
    <span class="balance" role="img" aria-label={said} title={said}>
      <span class="bar">
        <i class="wins" style={{ flexGrow: wins }} />
        <i class="draws" style={{ flexGrow: draws }} />
        <i class="losses" style={{ flexGrow: losses }} />
      </span>
      <span class="numbers small nowrap">
        {number(wins)} · {number(draws)} · {number(losses)}
      </span>
    </span>
  );
}
