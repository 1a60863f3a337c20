import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metadata, status } from '@grpc/grpc-js';
import { delayBefore, isFatal } from '../src/connection.js';
import { failure } from '../src/contract.js';

const plain = { reason: '', message: '', retryAfter: 0 };

test('each attempt waits longer, up to a limit, and as long as the service asks', () => {
  const delays = [0, 1, 2, 5, 9, 50].map((attempt) => delayBefore(attempt, 0, 1));
  assert.deepEqual(delays, delays.slice().sort((a, b) => a - b));
  assert.ok((delays[0] as number) <= 200 && (delays[5] as number) === 15_000);
  assert.equal(delayBefore(0, 3_000, 0), 3_000);
});

test('nobody connects again after what that cannot mend', () => {
  for (const code of ['UNAUTHENTICATED', 'PERMISSION_DENIED', 'INVALID_ARGUMENT']) {
    assert.ok(isFatal({ ...plain, code }));
  }
  assert.ok(isFatal({ ...plain, code: 'ABORTED', reason: 'SUPERSEDED' }));
  for (const code of ['OK', 'UNAVAILABLE', 'INTERNAL', 'CANCELLED']) {
    assert.ok(!isFatal({ ...plain, code }));
  }
  assert.ok(!isFatal({ ...plain, code: 'RESOURCE_EXHAUSTED', reason: 'NOT_READING' }));
  assert.ok(isFatal({ ...plain, code: 'RESOURCE_EXHAUSTED' }), 'a message that is too large');
});

/** A protobuf field: its number, and bytes. */
function field(number: number, value: Buffer | string): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([Buffer.from([8 * number + 2, bytes.length]), bytes]);
}

test('the reason and the delay are read from the status details', () => {
  const info = Buffer.concat([field(1, 'NOT_READING'), field(2, 'fudaba')]);
  const retry = field(1, Buffer.from([8, 2, 16, 0x80, 0xca, 0xb5, 0xee, 0x01])); // 2 s and 500,000,000 ns
  const details = [['ErrorInfo', info], ['RetryInfo', retry]].map(([type, value]) =>
    field(3, Buffer.concat([field(1, `type.googleapis.com/google.rpc.${type as string}`), field(2, value as Buffer)])));
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.concat([Buffer.from([8, 8]), ...details]));
  const end = failure({ code: status.RESOURCE_EXHAUSTED, details: 'read', metadata });
  assert.deepEqual(end, { code: 'RESOURCE_EXHAUSTED', reason: 'NOT_READING', message: 'read', retryAfter: 2_500 });
});

test('a connection that could not be made has no reason', () => {
  const end = failure({ code: status.UNAVAILABLE, details: 'refused', metadata: new Metadata() });
  assert.deepEqual(end, { code: 'UNAVAILABLE', reason: '', message: 'refused', retryAfter: 0 });
});
