/** What is said in Napoleon: approvals and bids, and the adjutant's card. Drawn while this seat can say it. */
import { CardPiece } from "~/boards/french/cards";
import { Fan } from "~/boards/table/table";
import { Says, useReachable } from "~/boards/says";
import { bidCode, bidName } from "~/boards/napoleon/words";
import { Piece } from "~/boards/piece";
import { SuitSign } from "~/cards/french";
import { cardCode, suitName } from "~/cards/french_names";
import { NapoleonSuit } from "~/gen/fudaba/v1/napoleon_pb";
import { t } from "~/i18n";
import { Term } from "~/parts/term";

const NUMBERS = [13, 14, 15, 16, 17, 18, 19, 20];
const TRUMPS = [
  NapoleonSuit.CLUBS,
  NapoleonSuit.DIAMONDS,
  NapoleonSuit.HEARTS,
  NapoleonSuit.SPADES,
  NapoleonSuit.NO_TRUMP,
];

/** Approving, and a table of the bids that are still possible: a row for each number, a column for each trump. */
export function Auction() {
  const reachable = useReachable();
  const rows = NUMBERS.filter((number) => TRUMPS.some((trump) => reachable(`say:${bidCode(number, trump)}`)));
  return (
    <>
      <Says label={t("napoleon.call")} sayings={[{ id: "say:approve", label: t("napoleon.approve") }]} />
      {rows.length > 0 && (
        <>
          <div class="bids" role="group" aria-label={t("napoleon.bids")}>
            {rows.map((number) =>
              TRUMPS.map((trump) => <Bid key={bidCode(number, trump)} number={number} trump={trump} />),
            )}
          </div>
          <p class="line what">
            <Term word={t("napoleon.noTrumpShort")} means="napoleon.noTrumpMeans" />
          </p>
        </>
      )}
    </>
  );
}

function Bid(props: { number: number; trump: NapoleonSuit }) {
  const { number, trump } = props;
  const id = `say:${bidCode(number, trump)}`;
  const reachable = useReachable();
  if (!reachable(id)) return <span />;
  return (
    <Piece id={id} label={bidName(number, trump)} class="saying">
      {number} {trump === NapoleonSuit.NO_TRUMP ? t("napoleon.noTrumpShort") : <SuitSign suit={trump - 1} />}
    </Piece>
  );
}

/** The whole deck, by suits: any card may be named. */
export function Naming() {
  const reachable = useReachable();
  const deck = Array.from({ length: 52 }, (_, index) => index + 1);
  if (!deck.some((card) => reachable(`name:${cardCode(card)}`))) return null;
  return (
    <div class="naming" role="group" aria-label={t("napoleon.naming")}>
      <span class="says-label">{t("napoleon.naming")}</span>
      {[3, 2, 1, 0].map((suit) => (
        <Fan key={suit} count={13} label={suitName(suit)}>
          {deck.slice(13 * suit, 13 * (suit + 1)).map((card) => (
            <CardPiece key={card} id={`name:${cardCode(card)}`} card={card} />
          ))}
        </Fan>
      ))}
    </div>
  );
}
