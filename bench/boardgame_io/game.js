// Naga for boardgame.io.
"use strict";

const { ActivePlayers, INVALID_MOVE } = require("boardgame.io/core");
const rules = require("./rules");

const move = (apply) => ({
  move: ({ G, playerID }, chosen) => (apply(G, Number(playerID), chosen) ? undefined : INVALID_MOVE),
  client: false, // what the other seat holds is not known there
  ignoreStaleStateID: true, // both seats commit at the same time
});

module.exports = {
  name: "naga",
  minPlayers: 2,
  maxPlayers: 2,
  setup: (_, { seed, deals }) => rules.newMatch(seed, deals),
  playerView: ({ G, playerID }) => (G.secret ? rules.view(G, Number(playerID)) : G),
  turn: { activePlayers: ActivePlayers.ALL }, // whose turn it is, the rules say
  moves: { designate: move(rules.designate), commit: move(rules.commit) },
  endIf: ({ G }) => (G.over ? { scores: G.scores } : undefined),
};
