// Plays scripts (its input, as JSON: seed, deals, moves, and the scores that they lead to) by these rules, and says in
// which matches the scores are others.
"use strict";

const { readFileSync } = require("node:fs");
const rules = require("./rules");

const scripts = JSON.parse(readFileSync(0, "utf8"));
let wrong = 0;
for (const { seed, deals, moves, scores } of scripts) {
  const G = rules.newMatch(seed, deals);
  const legal = moves.every(({ seat, place, cards }) =>
    cards ? rules.commit(G, seat, cards) : rules.designate(G, seat, place),
  );
  if (!legal || !G.over || String(G.scores) !== String(scores)) {
    wrong += 1;
    console.log(`seed ${seed}: ${legal ? `scores ${G.scores}, not ${scores}` : "a move is not legal here"}`);
  }
}
console.log(`${scripts.length - wrong} of ${scripts.length} matches agree`);
process.exitCode = wrong ? 1 : 0;
