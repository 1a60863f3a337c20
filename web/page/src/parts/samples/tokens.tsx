/** The tokens as the browser knows them: sizes of type, steps of space, colours. */
import { useMemo } from "preact/hooks";
import { t } from "~/i18n";

/** The names of the root's variables, as the style sheets have them. */
function tokens(): readonly string[] {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const ofRoot = rules.filter(
    (rule): rule is CSSStyleRule => rule instanceof CSSStyleRule && rule.selectorText === ":root",
  );
  return [...new Set(ofRoot.flatMap(({ style }) => [...style]))].filter((name) => name.startsWith("--"));
}

function isColour(name: string): boolean {
  return CSS.supports("color", getComputedStyle(document.documentElement).getPropertyValue(name));
}

export function TokenSamples() {
  const names = useMemo(tokens, []);
  const colours = useMemo(() => names.filter(isColour), [names]);
  return (
    <>
      <h3>{t("parts.type")}</h3>
      <ul class="samples">
        {names
          .filter((name) => name.startsWith("--type-") && name !== "--type-card")
          .map((name) => (
            <li key={name} style={{ fontSize: `var(${name})` }}>
              {t("parts.sample")} <code>{name}</code>
            </li>
          ))}
      </ul>
      <h3>{t("parts.space")}</h3>
      <ul class="samples">
        {names
          .filter((name) => name.startsWith("--space-"))
          .map((name) => (
            <li key={name} class="row">
              <code>{name}</code> <i class="sample-space" style={{ inlineSize: `var(${name})` }} />
            </li>
          ))}
      </ul>
      <h3>{t("parts.colours")}</h3>
      <ul class="samples sample-colours">
        {colours.map((name) => (
          <li key={name}>
            <i style={{ background: `var(${name})` }} /> <code>{name}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
