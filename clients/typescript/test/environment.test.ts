import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { disagreement } from '../src/encryption.js';
import { endpointOf, Mistake, oneLine, thinkMsOf } from '../src/environment.js';

const FUDABA_TOKEN = 'fudaba-bot-x';
const unavailable = { code: 'UNAVAILABLE', reason: '', message: 'Failed to connect', retryAfter: 0 };

function mistake(environment: Record<string, string>): string {
  try {
    endpointOf(environment);
  } catch (error) {
    assert.ok(error instanceof Mistake);
    assert.ok(!error.message.includes('\n'));
    return error.message;
  }
  throw new Error('it was taken');
}

test('a token that cannot be one is told before it is sent', () => {
  assert.match(mistake({}), /set FUDABA_TOKEN/);
  for (const token of ['a\nb', 'a b', 'ä', 'a\x7f']) assert.match(mistake({ FUDABA_TOKEN: token }), /copy it again/);
});

test('an address that is none is told', () => {
  for (const FUDABA_SERVER of ['nonsense', 'http://host:1', 'a b:1', 'host:']) {
    assert.match(mistake({ FUDABA_TOKEN, FUDABA_SERVER }), /write HOST:PORT/);
  }
  for (const FUDABA_SERVER of ['host:1', '[::1]:7710', 'unix:/a b']) {
    assert.equal(endpointOf({ FUDABA_TOKEN, FUDABA_SERVER }).address, FUDABA_SERVER);
  }
});

test('an authority that cannot be read, or is none, is told with its file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fudaba-'));
  const text = join(folder, 'text.pem');
  writeFileSync(text, 'This is a letter.');
  assert.match(mistake({ FUDABA_TOKEN, FUDABA_CA_CERT: join(folder, 'none.pem') }), /none\.pem, which cannot be read/);
  assert.match(mistake({ FUDABA_TOKEN, FUDABA_CA_CERT: folder }), /cannot be read/);
  assert.match(mistake({ FUDABA_TOKEN, FUDABA_CA_CERT: text }), /text\.pem, which holds no certificate/);
});

test('a time to think that is none is told', () => {
  for (const THINK_MS of ['abc', '-1', '2.5', '1e3', '9999999']) {
    assert.throws(() => thinkMsOf({ THINK_MS }), (error) => error instanceof Mistake && /THINK_MS is/.test(error.message));
  }
  assert.equal(thinkMsOf({}), 25);
  assert.equal(thinkMsOf({ THINK_MS: '100' }), 100);
});

test('TLS is used when a variable says so', () => {
  assert.equal(endpointOf({ FUDABA_TOKEN }).secure, false);
  assert.equal(endpointOf({ FUDABA_TOKEN, FUDABA_TLS: '1' }).secure, true);
});

async function listening<T>(server: Server, use: (address: string) => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

test('a service without TLS is known by what TLS says of it', async () => {
  const message = 'Last error: Error: 80:error:0A00010B:SSL routines:ssl3_get_record:wrong version number';
  assert.match((await disagreement('a:1', true, { ...unavailable, message })) ?? '', /does not use TLS/);
  assert.equal(await disagreement('a:1', true, unavailable), undefined);
});

test('a service that is merely not there, or closes, is not taken for one that wants TLS', async () => {
  assert.equal(await disagreement('unix:/nowhere', false, unavailable), undefined);
  const closing = createServer((socket) => socket.destroy());
  assert.equal(await listening(closing, (address) => disagreement(address, false, unavailable)), undefined);
});

test('texts of others stay one line', () => {
  assert.equal(oneLine('a\nb\x1b[2J\u2028ナーガ'), 'a\ufffdb\ufffd[2J\ufffdナーガ');
});
