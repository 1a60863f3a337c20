/**
 * What a bot in JavaScript needs to play on a Fudaba service: derive a class from `Bot`, and `run` it.
 *
 * @module fudaba
 */
export { Bot, Decision } from './bot.js';
export { run } from './run.js';
