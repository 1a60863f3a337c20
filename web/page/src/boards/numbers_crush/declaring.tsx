/** What is said in Numbers Crush, and what chosen cards are declared to be. Drawn while it can be said. */
import type { ViewOf } from "~/boards";
import { Says, useChosen } from "~/boards/says";
import { JOKER_NUMBERS, SUIT_CODES, isTen } from "~/boards/numbers_crush/moves";
import { effectName } from "~/boards/numbers_crush/words";
import { isJoker } from "~/boards/numbers_crush/sets";
import { SuitSign } from "~/cards/french";
import { cardCode, cardName, rankLetter, rankName, rankOf, suitName } from "~/cards/french_names";
import { t } from "~/i18n";

export function Sayings() {
  return (
    <Says
      label={t("crush.say")}
      sayings={[
        { id: "say:draw", label: t("crush.sayDraw") },
        { id: "say:skip", label: t("crush.saySkip") },
        { id: "say:zero_out", label: t("crush.sayZeroOut") },
        { id: "say:counter", label: t("crush.sayCounter") },
        { id: "say:pass", label: t("crush.sayPass") },
        { id: "say:decline", label: t("crush.sayDecline") },
      ]}
    />
  );
}

/** Of the cards chosen: what jokers and 10s stand for, which is on top, whose effect it is, which suit a 9 names. */
export function Declarations(props: { view: ViewOf<"numbersCrush"> }) {
  const chosen = useChosen();
  const hand: readonly number[] = props.view.hand;
  const cards = hand.filter((card) => chosen.has(`hand:${cardCode(card)}`));
  if (cards.length === 0) return null;
  return (
    <div class="declarations">
      {cards.filter(isJoker).map((card) => (
        <JokerFace key={card} card={card} />
      ))}
      {cards.filter(isTen).map((card) => (
        <Says
          key={card}
          label={t("crush.standsFor", { card: cardName(card) })}
          sayings={[{ id: `as:${cardCode(card)}:A`, label: rankName(1) }]}
        />
      ))}
      {cards.length > 1 && (
        <Says
          label={t("crush.onTop")}
          sayings={cards.map((card) => ({
            id: `top:${cardCode(card)}`,
            label: cardName(card),
            text: short(card),
          }))}
        />
      )}
      <Says
        label={t("crush.whose")}
        sayings={cards.map((card) => ({
          id: `role:${cardCode(card)}`,
          label: `${cardName(card)} ${effectName(rankOf(card))}`,
        }))}
      />
      <Says label={t("crush.names")} sayings={suits("suit:")} />
    </div>
  );
}

/** What a joker stands for: a number, and a suit where it matters. */
function JokerFace(props: { card: number }) {
  const code = cardCode(props.card);
  const label = t("crush.standsFor", { card: cardName(props.card) });
  const numbers = JOKER_NUMBERS.map((rank) => ({
    id: `as:${code}:${rank.code}`,
    label: rankName(rank.number),
    text: rankLetter(rank.number),
  }));
  return (
    <>
      <Says
        label={label}
        class="numbers"
        sayings={[{ id: `as:${code}:joker`, label: t("crush.declaredJoker") }, ...numbers]}
      />
      <Says label={t("crush.suitOf", { card: cardName(props.card) })} sayings={suits(`as:${code}:`)} />
    </>
  );
}

function suits(before: string) {
  return SUIT_CODES.map((code, suit) => ({
    id: before + code,
    label: suitName(suit),
    text: (
      <>
        <SuitSign suit={suit} /> {suitName(suit)}
      </>
    ),
  }));
}

/** A card as short as can be: its suit's sign and its rank. */
function short(card: number) {
  if (isJoker(card)) return cardName(card);
  return (
    <>
      <SuitSign suit={Math.floor((card - 1) / 13)} /> {rankLetter(rankOf(card))}
    </>
  );
}
