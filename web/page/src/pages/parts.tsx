/**
 * The parts of which pages and boards are made, each in its states, for those who write a board. Nothing leads here but
 * the documentation.
 */
import { t } from "~/i18n";
import { CardSamples } from "~/parts/samples/cards";
import { ControlSamples } from "~/parts/samples/controls";
import { PlaySample } from "~/parts/samples/play";
import { TableSample } from "~/parts/samples/table";
import { TokenSamples } from "~/parts/samples/tokens";
import { useTitle } from "~/parts/title";
import "~/parts/samples/samples.css";

const SECTIONS = [
  ["parts.tokens", TokenSamples],
  ["parts.cards", CardSamples],
  ["parts.table", TableSample],
  ["parts.decision", PlaySample],
  ["parts.controls", ControlSamples],
] as const;

export default function Parts() {
  useTitle(t("parts.title"));
  return (
    <>
      <h1>{t("parts.title")}</h1>
      <p class="intro">{t("parts.intro")}</p>
      {SECTIONS.map(([key, Samples]) => (
        <section key={key} aria-label={t(key)}>
          <h2>{t(key)}</h2>
          <Samples />
        </section>
      ))}
    </>
  );
}
