import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxyOptions, throughProxy } from '../src/proxy.js';

const far = 'play.example.org:443';
const https_proxy = 'http://me:secret@proxy:3128';

test('no proxy is on the way to this machine', () => {
  for (const near of ['unix:/run/s', 'localhost:1', '127.8.9.10:1', '[::1]:1']) {
    assert.deepEqual(proxyOptions(near), { 'grpc.enable_http_proxy': 0 });
    assert.equal(throughProxy(near, { https_proxy }), '');
  }
  for (const address of [far, '127.example.org:1', 'localhost.example.org:1', '[::2]:1']) {
    assert.deepEqual(proxyOptions(address), {});
  }
});

test('the proxy that gRPC takes is named, without its password', () => {
  const words = ', through the proxy proxy:3128 (from https_proxy)';
  assert.equal(throughProxy(far, { http_proxy: 'http://other:1', https_proxy }), words);
  assert.equal(throughProxy(far, { HTTPS_PROXY: https_proxy }), '');
  assert.equal(throughProxy(far, { https_proxy, no_proxy: 'a.test,.example.com' }), words);
});

test('where no proxy is wanted none is named', () => {
  assert.equal(throughProxy(far, { https_proxy, no_proxy: 'a.test,.example.org' }), '');
  assert.equal(throughProxy(far, { https_proxy, no_grpc_proxy: 'example.org' }), '');
});
