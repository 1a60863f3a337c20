import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlayRequest } from '../src/contract.js';
import type { Strategy } from '../src/games.js';
import { Player } from '../src/player.js';
import { decision, over, refusal, started, update } from './messages.js';

/** A player of the game `toy`, what it sent, and what it was asked. */
function playing(strategy: Strategy = () => 2) {
  const sent: PlayRequest[] = [];
  const asked: string[] = [];
  const log: string[] = [];
  const toy: Strategy = (question) => {
    asked.push(question.decision.decision_id);
    return strategy(question);
  };
  const player = new Player({
    send: (request) => sent.push(request),
    log: (line) => log.push(line),
    strategies: new Map([['toy', toy]]),
  });
  return { player, sent, asked, log };
}

const answer = (decision_id: string, index: number): PlayRequest => ({ answer: { match_id: 'm', decision_id, index } });

/** Lets the player think. */
async function thought(player: Player): Promise<void> {
  while (!player.idle) await new Promise(setImmediate);
}

test('a decision is answered with the place of the chosen move', async () => {
  const { player, sent } = playing();
  player.received(started('toy'));
  player.received(update({ decision: decision('1.0') }));
  await thought(player);
  assert.deepEqual(sent, [answer('1.0', 2)]);
});

test('a ping is answered at once', () => {
  const { player, sent } = playing();
  player.received({ ping: { id: 7 }, message: 'ping' });
  assert.deepEqual(sent, [{ pong: { id: 7 } }]);
});

test('hello names the unfinished matches with what was seen of them, and no others', async () => {
  const { player } = playing();
  player.received(started('toy', { seen: 3, history: 30 }));
  player.received(started('toy', { match_id: 'n', seen: 1, history: 10 }));
  player.received(update({ seen: 8, history: 80, decision: decision('1.0') }));
  const n = { match_id: 'n', seen: 1, history: 10 };
  assert.deepEqual(player.hello().seen, [{ match_id: 'm', seen: 8, history: 80 }, n]);
  player.received(over([-1, 1]));
  assert.deepEqual(player.hello().seen, [n]);
  assert.deepEqual([player.tally.finished, player.tally.score, player.unfinished], [1, 1, 1]);
});

test('the answer is sent again, word for word, when the decision comes again after a lost connection', async () => {
  const { player, sent, asked } = playing(() => asked.length);
  player.received(started('toy', { decision: decision('1.0') }));
  await thought(player);
  player.hello();
  player.received(started('toy', { decision: decision('1.0', { time_ms: 4_000 }) }));
  await thought(player);
  assert.deepEqual(sent, [answer('1.0', 1), answer('1.0', 1)]);
  assert.deepEqual(asked, ['1.0']);
});

test('a decision that comes again while it is thought about is thought about once', async () => {
  const { player, sent, asked } = playing();
  player.received(started('toy', { decision: decision('1.0') }));
  player.received(started('toy', { decision: decision('1.0') }));
  await thought(player);
  assert.deepEqual([asked, sent.length], [['1.0'], 1]);
});

test('a decision that the clock has closed is not thought about any more', async () => {
  const { player, sent, asked } = playing();
  player.received(started('toy', { decision: decision('1.0') }));
  player.received(update({ timed_out: ['1.0'], decision: decision('1.1') }));
  await thought(player);
  assert.deepEqual([asked, sent], [['1.1'], [answer('1.1', 2)]]);
  assert.equal(player.tally.timedOut, 1);
});

test('after a match was put back a decision under the same id is thought about anew', async () => {
  const { player, sent, asked } = playing(() => asked.length);
  player.received(started('toy', { seen: 4, decision: decision('1.0') }));
  await thought(player);
  player.received(update({ seen: 2, rewound: true, decision: decision('1.0') }));
  await thought(player);
  assert.deepEqual(sent, [answer('1.0', 1), answer('1.0', 2)]);
  assert.deepEqual(player.hello().seen, [{ match_id: 'm', seen: 2, history: 0 }]);
});

test('after an answer that was wrong the default move is played', async () => {
  const { player, sent } = playing();
  player.received(started('toy', { decision: decision('1.0') }));
  await thought(player);
  player.received(refusal('1.0', 'ILLEGAL_MOVE', true));
  assert.deepEqual(sent, [answer('1.0', 2), answer('1.0', 0)]);
  assert.equal(player.tally.refused, 1);
});

test('refusals have an end: at last the decision is left to the clock', async () => {
  const { player, sent } = playing();
  player.received(started('toy', { decision: decision('1.0') }));
  await thought(player);
  for (let n = 0; n < 50; n += 1) player.received(refusal('1.0', 'ILLEGAL_MOVE', true));
  assert.equal(sent.length, 8);
});

for (const reason of ['TOO_FAST', 'STORE_UNAVAILABLE', 'SHUTTING_DOWN', 'INTERNAL']) {
  test(`after ${reason} the same answer is sent again a little later`, async (context) => {
    const { player, sent } = playing();
    player.received(started('toy', { decision: decision('1.0') }));
    await thought(player);
    context.mock.timers.enable(['setTimeout']);
    player.received(refusal('1.0', reason, true));
    assert.equal(sent.length, 1);
    context.mock.timers.tick(300);
    assert.deepEqual(sent, [answer('1.0', 2), answer('1.0', 2)]);
  });
}

for (const reason of ['DECISION_CLOSED', 'NOT_YOUR_DECISION', 'MATCH_OVER', 'NOT_YOUR_MATCH']) {
  test(`after ${reason} nothing is sent`, async () => {
    const { player, sent } = playing();
    player.received(started('toy', { decision: decision('1.0') }));
    await thought(player);
    player.received(refusal('1.0', reason, false));
    assert.deepEqual([sent.length, player.tally.refused], [1, 0]);
  });
}

test('a strategy that fails costs a default move and is told of', async () => {
  const { player, sent, log } = playing(() => assert.fail('lost my way'));
  player.received(started('toy', { decision: decision('1.0') }));
  await thought(player);
  assert.deepEqual(sent, [answer('1.0', 0)]);
  assert.match(log.join('\n'), /lost my way/);
});

test('a game that the bot does not know is played with default moves', async () => {
  const { player, sent } = playing();
  player.received(started('chess', { decision: decision('1.0') }));
  await thought(player);
  assert.deepEqual(sent, [answer('1.0', 0)]);
});

test('who leaves answers what was asked, and nothing more', async () => {
  const { player, sent } = playing();
  player.received(started('toy', { decision: decision('1.0') }));
  player.takeNoMore();
  player.received(started('toy', { match_id: 'n', decision: decision('0.0') }));
  await thought(player);
  assert.deepEqual(sent, [answer('1.0', 2)]);
});

test('matches that a new stream does not bring are forgotten', () => {
  const { player } = playing();
  player.received(started('toy'));
  player.received(started('toy', { match_id: 'n' }));
  player.hello();
  player.received(started('toy', { match_id: 'n' }));
  player.forgetMissing();
  assert.deepEqual(player.hello().seen, [{ match_id: 'n', seen: 0, history: 0 }]);
});

test('the end of a match that is over already, and messages of a later release, are passed over', () => {
  const { player, sent } = playing();
  player.received(over([1, -1]));
  player.received({});
  assert.deepEqual([sent, player.tally.finished], [[], 0]);
});
