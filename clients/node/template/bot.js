/** mybot: plays Naga by a small strategy, and a random legal move in every other game. */
import { pathToFileURL } from 'node:url';
import { Bot, run } from './fudaba/index.js';
import { handValue } from './naga.js';

/** One for each seat of each match. What it knows is in `decision.view`: fields as in fudaba/contract/fudaba/v1. */
export class MyBot extends Bot {
  choose(decision) {
    if (this.match.game === 'naga' && decision.view.place !== 'NAGA_PLACE_UNSPECIFIED') return bestHand(decision);
    return Math.floor(Math.random() * decision.legalCount);
  }
}

/** In Naga: those cards of the hand that make the best hand with the cards on the table that are fought for. */
function bestHand({ view, legalMoves }) {
  const value = (move) => handValue(move.commit.cards, view);
  return legalMoves.reduce((best, move) => (value(move) > value(best) ? move : best));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await run(MyBot);
