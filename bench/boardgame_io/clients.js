// Plays matches of Naga with boardgame.io's own client, each seat as soon as it can: node clients.js PORT MATCHES
// Prints "begun" when all have begun; then, for each line of its input, how many moves the server has taken so far.
"use strict";

process.env.NODE_ENV = "production";
const { createInterface } = require("node:readline");
const { randomBytes } = require("node:crypto");
const { Client } = require("boardgame.io/client");
const { LobbyClient } = require("boardgame.io/client");
const { SocketIO } = require("boardgame.io/multiplayer");
const game = require("./game");
const rules = require("./rules");

const DEAL_COUNT = 99;
const made = [];

async function play(server, seats) {
  const lobby = new LobbyClient({ server });
  const setupData = { seed: randomBytes(32).toString("hex"), deals: DEAL_COUNT };
  const number = made.push(0) - 1;
  const { matchID } = await lobby.createMatch(game.name, { numPlayers: 2, setupData });
  for (const playerID of ["0", "1"]) {
    const { playerCredentials: credentials } = await lobby.joinMatch(game.name, matchID, { playerID, playerName: playerID });
    const client = Client({ game, debug: false, matchID, playerID, credentials, multiplayer: SocketIO({ server }) });
    let answered = "";
    client.subscribe((state) => {
      if (state === null) return;
      made[number] = Math.max(made[number], state._stateID);
      const [kind, G] = [rules.due(state.G, Number(playerID), state.G.committed), state.G];
      const asked = `${G.deal} ${G.battle} ${kind}`;
      if (!kind || asked === answered) return; // a state comes again when a move is sent
      answered = asked;
      if (kind === "designate") client.moves.designate(rules.places(G)[0]);
      else client.moves.commit(G.hands[Number(playerID)].slice(0, rules.toCommit(G)));
    });
    client.start();
    seats.push(client);
  }
}

async function main(port, matches) {
  const seats = [];
  for (let match = 0; match < matches; match++) await play(`http://127.0.0.1:${port}`, seats);
  console.log("begun");
  for await (const _ of createInterface({ input: process.stdin })) console.log(made.reduce((sum, moves) => sum + moves));
}

main(process.argv[2], Number(process.argv[3]));
