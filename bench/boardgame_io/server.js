// Serves Naga as boardgame.io does by default: matches in memory, Socket.IO for the moves. Prints its port.
"use strict";

process.env.NODE_ENV = "production";
const { Server } = require("boardgame.io/server");

Server({ games: [require("./game")], origins: [/localhost/] })
  .run({ port: 0, callback: () => {} })
  .then(({ appServer }) => console.log(appServer.address().port));
