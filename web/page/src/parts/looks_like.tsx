/** The mark beside a name that people take for one of somebody else. */
import { Fragment } from "preact";
import { t } from "~/i18n";
import { nameOf } from "~/parts/ladder/names";

/** Of the bots of a list whose names look alike, by name without a version: that of somebody else. */
export type Lookalikes = Readonly<Record<string, string>>;

export function LooksLike({ other }: { other: string }) {
  return other === "" ? null : <strong class="quiet"> {t("shell.looksLike", { name: other })}</strong>;
}

/** The names of a block's bots, each beside its mark. */
export function BotNames({ bots, looksLike }: { bots: readonly string[]; looksLike: Lookalikes }) {
  return bots.map((bot, at) => (
    <Fragment key={bot}>
      {at > 0 && " – "}
      {nameOf(bot)}
      <LooksLike other={looksLike[nameOf(bot)] ?? ""} />
    </Fragment>
  ));
}
