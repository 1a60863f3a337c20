// The rules of Naga (docs/rules/naga.md) on a plain object, as boardgame.io wants them. It knows nothing of that library.
"use strict";

const { createHash } = require("node:crypto");
const { betterCommitment } = require("./hands");

const ELTAM = 4;
const LAST_BATTLE_INDEX = 6;
const MAJORITY_COUNT = 5;
const LAYOUT = [[], [0], [1], [2], [3, 4, 5], [6], [7], [8]];

// The deck of a deal, as every match of the same seed has it (docs/rules/README.md, G3).
function shuffled(seed, deal) {
  const number = Buffer.alloc(8);
  number.writeUInt32BE(deal);
  const prefix = Buffer.concat([Buffer.from(seed, "hex"), Buffer.from("fudaba-shuffle-v1"), number]);
  let [part, at, digest] = [0, 32, null];
  const next = () => {
    if (at === 32) {
      const count = Buffer.alloc(8);
      count.writeUInt32BE(part++, 4);
      digest = createHash("sha256").update(prefix).update(count).digest();
      at = 0;
    }
    at += 8;
    return digest.readBigUInt64BE(at - 8);
  };
  const deck = [...Array(51).keys()];
  for (let place = 50; place > 0; place--) {
    const n = BigInt(place + 1);
    const limit = (1n << 64n) - ((1n << 64n) % n);
    let drawn = next();
    while (drawn >= limit) drawn = next();
    const other = Number(drawn % n);
    [deck[place], deck[other]] = [deck[other], deck[place]];
  }
  return deck;
}

const sorted = (cards) => [...cards].sort((left, right) => left - right);

// Deals the deal that the state says.
function deal(G) {
  const deck = shuffled(G.secret.seed, G.deal);
  const [child, dealer] = [sorted(deck.slice(9, 14)), sorted(deck.slice(14, 19))];
  G.battle = 0;
  G.place = 0;
  G.table = LAYOUT.map((positions) => positions.map((position) => deck[position]));
  G.hands = G.dealer ? [child, dealer] : [dealer, child];
  G.secret.committed = [null, null];
  G.secret.stock = deck.slice(19);
  G.won = [[], []];
}

// A new match: `seed` in hexadecimal, and how many deals it has.
function newMatch(seed, deals) {
  const G = { deals, deal: 0, dealer: 0, scores: [0, 0], over: false, secret: { seed } };
  deal(G);
  return G;
}

const designator = (G) => (G.battle === LAST_BATTLE_INDEX ? -1 : G.battle % 2 ? G.dealer : 1 - G.dealer);

// Whether a seat owes a designation or a commitment: the kind, or "" for neither. `committed` are those it may know of.
function due(G, seat, committed) {
  if (G.over) return "";
  if (G.place) return committed[seat] ? "" : "commit";
  return designator(G) === seat ? "designate" : "";
}

const places = (G) => [1, 2, 3, 5, 6, 7].filter((place) => G.table[place].length);
const toCommit = (G) => (G.place === ELTAM ? 2 : 3);

// Names a place; false if that is not legal.
function designate(G, seat, place) {
  if (due(G, seat, G.secret.committed) !== "designate" || !places(G).includes(place)) return false;
  G.place = place;
  return true;
}

// Commits cards; false if that is not legal. With the second commitment the battle is fought.
function commit(G, seat, cards) {
  const legal = cards.length === toCommit(G) && new Set(cards).size === cards.length;
  if (due(G, seat, G.secret.committed) !== "commit" || !legal) return false;
  if (!cards.every((card) => G.hands[seat].includes(card))) return false;
  G.secret.committed[seat] = [...cards];
  if (G.secret.committed[1 - seat]) fight(G);
  return true;
}

function fight(G) {
  const [prize, place, committed] = [G.table[G.place], G.place, G.secret.committed];
  const better = betterCommitment(committed[0], committed[1], prize, place);
  if (better >= 0) G.won[better].push(...prize);
  G.table[place] = [];
  G.hands = G.hands.map((hand, seat) => hand.filter((card) => !committed[seat].includes(card)));
  G.secret.committed = [null, null];
  if (place === ELTAM || (better >= 0 && G.won[better].length >= MAJORITY_COUNT)) {
    endDeal(G);
    return;
  }
  G.battle += 1;
  G.place = G.battle === LAST_BATTLE_INDEX ? ELTAM : 0;
  const number = G.battle === LAST_BATTLE_INDEX ? 1 : 3;
  for (const seat of [1 - G.dealer, G.dealer]) {
    G.hands[seat] = sorted([...G.hands[seat], ...G.secret.stock.splice(0, number)]);
  }
}

function endDeal(G) {
  const score = Math.sign(G.won[0].length - G.won[1].length);
  G.scores = [G.scores[0] + score, G.scores[1] - score];
  if (G.deal + 1 === G.deals) {
    G.over = true;
    return;
  }
  if (score) G.dealer = score > 0 ? 0 : 1;
  G.deal += 1;
  deal(G);
}

// What a seat may know.
function view(G, seat) {
  const { secret, ...known } = G;
  return {
    ...known,
    hands: G.hands.map((hand, owner) => (owner === seat ? hand : [])),
    committed: secret.committed.map((cards, owner) => (owner === seat ? cards : null)),
    stock: secret.stock.length,
  };
}

module.exports = { newMatch, designate, commit, due, places, toCommit, view };
