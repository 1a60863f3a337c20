/** Where the service is and as whom to speak to it, from the environment. What cannot be used is told in one line. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as grpc from '@grpc/grpc-js';
import type { Endpoint } from './connection.js';
import { THINK_MS } from './thinking.js';

/** The environment has to be changed. */
export class Mistake extends Error {}

export function endpointOf(environment: Readonly<Record<string, string | undefined>>): Endpoint {
  const token = environment['FUDABA_TOKEN'];
  if (!token) throw new Mistake('set FUDABA_TOKEN to the token that the organiser gave you');
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Mistake('FUDABA_TOKEN has blanks or characters that no token has; copy it again');
  }
  const address = environment['FUDABA_SERVER'] || '127.0.0.1:7710';
  if (!/^(unix:.+|[^\s/]+:\d{1,5})$/.test(address)) {
    throw new Mistake(`FUDABA_SERVER is ${JSON.stringify(address)}; write HOST:PORT, or unix:/path/to/socket`);
  }
  const authority = environment['FUDABA_CA_CERT'];
  if (authority) return { address, token, secure: true, credentials: grpc.credentials.createSsl(certificate(authority)) };
  const secure = Boolean(environment['FUDABA_TLS']);
  return { address, token, secure, credentials: secure ? grpc.credentials.createSsl() : grpc.credentials.createInsecure() };
}

/** How long to think about a decision, in milliseconds. */
export function thinkMsOf(environment: Readonly<Record<string, string | undefined>>): number {
  const text = environment['THINK_MS'];
  if (!text) return THINK_MS;
  if (!/^\d{1,6}$/.test(text)) {
    throw new Mistake(`THINK_MS is ${JSON.stringify(text)}; write a whole number of milliseconds, as 25`);
  }
  return Number(text);
}

/** The content of a PEM file. Node takes one without a certificate, and then trusts nobody. */
function certificate(path: string): Buffer {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Mistake(`FUDABA_CA_CERT names ${path}, which cannot be read (${why})`);
  }
  try {
    new X509Certificate(content);
  } catch {
    throw new Mistake(`FUDABA_CA_CERT names ${path}, which holds no certificate; it wants a PEM file`);
  }
  return content;
}

/** A text of somebody else as one line that does not drive the terminal. */
export function oneLine(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, '\ufffd');
}
