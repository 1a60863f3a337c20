/** Where the service is and as whom to speak to it, from the environment. What cannot be used is told in one line. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import grpc from '@grpc/grpc-js';

/** A capacity is no more than this. */
const MOST_MATCHES = 1_000_000;

/** The environment has to be changed. */
export class Mistake extends Error {}

/** Address, token, whether to use TLS, gRPC's credentials, and the capacity; 0 for any. Throws `Mistake`. */
export function endpointOf(environment) {
  const token = environment.FUDABA_TOKEN;
  if (!token) throw new Mistake('set FUDABA_TOKEN to your bot\'s token');
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Mistake('FUDABA_TOKEN has blanks or characters that no token has; copy it again');
  }
  const address = environment.FUDABA_SERVER || '127.0.0.1:7710';
  if (!/^(unix:.+|[^\s/]+:\d{1,5})$/.test(address)) {
    throw new Mistake(`FUDABA_SERVER is ${JSON.stringify(address)}; write HOST:PORT, or unix:/path/to/socket`);
  }
  const given = environment.FUDABA_CAPACITY || '0';
  const capacity = /^\d{1,7}$/.test(given) ? Number(given) : MOST_MATCHES + 1;
  if (capacity > MOST_MATCHES) {
    const wanted = `write how many matches at once, up to ${MOST_MATCHES}`;
    throw new Mistake(`FUDABA_CAPACITY is ${JSON.stringify(given)}; ${wanted}`);
  }
  const authority = environment.FUDABA_CA_CERT;
  const secure = Boolean(authority || environment.FUDABA_TLS);
  const trusted = authority ? certificate(authority) : undefined;
  const credentials = secure ? grpc.credentials.createSsl(trusted) : grpc.credentials.createInsecure();
  return { address, token, secure, credentials, capacity };
}

/** The content of a PEM file. Node takes one without a certificate, and then trusts nobody. */
function certificate(path) {
  let content;
  try {
    content = readFileSync(path);
  } catch (error) {
    throw new Mistake(`FUDABA_CA_CERT names ${path}, which cannot be read (${error.code ?? error})`);
  }
  try {
    new X509Certificate(content);
  } catch {
    throw new Mistake(`FUDABA_CA_CERT names ${path}, which holds no certificate; it wants a PEM file`);
  }
  return content;
}
