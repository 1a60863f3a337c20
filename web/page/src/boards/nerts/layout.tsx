/** The piles of the seat that looks: all that it can move. */
import type { ViewOf } from "~/boards";
import { Overlap, Pile } from "~/boards/table/cards";
import { Piece } from "~/boards/piece";
import { FrenchBack, FrenchCard, NoCard } from "~/cards/french";
import { cardName } from "~/cards/french_names";
import { t } from "~/i18n";

type Seat = ViewOf<"nerts">["seats"][number];
/** So many cards of the waste are seen beside each other: those that one flip turns. */
const TURNED_CARDS = 3;

/** `waste` is this seat's own, the top card last. */
export function Layout(props: { layout: Seat; waste: readonly number[]; seat: number }) {
  const { layout, waste, seat } = props;
  return (
    <div class="layout">
      <div class="heaps">
        <Pile name={t("nerts.nertsPile")} value={layout.nertsSize}>
          <Piece id="nerts" label={topLabel(t("nerts.nertsPile"), layout.nertsTop)} class="card">
            {layout.nertsSize > 0 ? <FrenchCard card={layout.nertsTop} /> : <NoCard />}
          </Piece>
        </Pile>
        <Pile name={t("nerts.stock")} value={layout.stockSize}>
          <Piece id="stock" label={stockLabel(layout)} class="card">
            {layout.stockSize > 0 ? <FrenchBack deck={seat} /> : <NoCard />}
          </Piece>
        </Pile>
        <Pile name={t("nerts.waste")} value={layout.wasteSize}>
          <Overlap>
            {waste.slice(-TURNED_CARDS, -1).map((card) => (
              <span key={card} class="card" role="img" aria-label={cardName(card)}>
                <FrenchCard card={card} />
              </span>
            ))}
            <Piece id="waste" label={topLabel(t("nerts.waste"), layout.wasteTop)} class="card">
              {layout.wasteSize > 0 ? <FrenchCard card={layout.wasteTop} /> : <NoCard />}
            </Piece>
          </Overlap>
        </Pile>
      </div>
      <div class="works">
        {layout.workPiles.map((pile, at) => (
          <Work key={at} cards={pile.cards} work={at} />
        ))}
      </div>
    </div>
  );
}

function topLabel(pile: string, card: number): string {
  return card > 0 ? t("nerts.topOf", { pile, card: cardName(card) }) : t("nerts.emptyPile", { pile });
}

function stockLabel(layout: Seat): string {
  return layout.stockSize > 0 ? t("nerts.flip") : t("nerts.recycle");
}

/** A work pile: each card is the first of the block that comes off with it. */
function Work(props: { cards: readonly number[]; work: number }) {
  const { cards, work } = props;
  return (
    <div class="work" style={{ "--cards": cards.length }}>
      <span class="what">{work}</span>
      {cards.map((card, at) => (
        <Piece
          key={card}
          id={`work:${work}:${cards.length - at}`}
          label={t("nerts.cardOfWork", { card: cardName(card), work: String(work) })}
          class="card"
        >
          <FrenchCard card={card} />
        </Piece>
      ))}
      {cards.length === 0 && (
        <Piece id={`work:${work}:1`} label={t("nerts.emptyWork", { work: String(work) })} class="card">
          <NoCard />
        </Piece>
      )}
    </div>
  );
}
