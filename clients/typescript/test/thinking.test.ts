import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Thinking, timeFor } from '../src/thinking.js';

test('the decision whose time is over first is thought about first', async () => {
  const done: number[] = [];
  const thinking = new Thinking();
  for (const deadline of [900, 300, 600]) thinking.add({ deadline, think: () => done.push(deadline) });
  while (thinking.size > 0) await new Promise(setImmediate);
  assert.deepEqual(done, [300, 600, 900]);
});

test('between two decisions other events get their turn', async () => {
  const order: string[] = [];
  const thinking = new Thinking();
  const think = (): void => {
    order.push('decision');
    setImmediate(() => order.push('event'));
  };
  thinking.add({ deadline: 1, think });
  thinking.add({ deadline: 2, think });
  while (order.length < 4) await new Promise(setImmediate);
  assert.deepEqual(order, ['decision', 'event', 'decision', 'event']);
});

test('a decision that was dropped is not thought about', async () => {
  const thinking = new Thinking();
  const task = { deadline: 1, think: () => assert.fail() };
  thinking.add(task);
  thinking.drop(task);
  await new Promise(setImmediate);
  assert.equal(thinking.size, 0);
});

test('little time is shared, and none is spent when there is none', () => {
  assert.equal(timeFor(25, 10_000, 0), 25);
  assert.equal(timeFor(25, 10_000, 19), 25);
  assert.ok(timeFor(25, 300, 9) <= 15);
  assert.ok(timeFor(25, 20, 0) <= 10);
  assert.equal(timeFor(25, -5, 3), 0);
});
