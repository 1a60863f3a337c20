/** Whether both sides agree on TLS: when they do not, gRPC only says that no connection could be made, again and again. */
import { connect } from 'node:tls';

const PATIENCE_MS = 5_000;

/** Why a connection that never was can never be, as far as TLS is the reason; else undefined. */
export async function disagreement({ address, secure }, end) {
  if (end.code !== 'UNAVAILABLE') return undefined;
  if (secure) {
    if (!/wrong version number|packet length too long/i.test(end.message)) return undefined;
    return `the service at ${address} does not use TLS: leave out FUDABA_TLS and FUDABA_CA_CERT`;
  }
  if (!(await speaksTls(address))) return undefined;
  return `the service at ${address} wants TLS: set FUDABA_TLS=1, or FUDABA_CA_CERT to its authority's file`;
}

/** Whether a TLS handshake succeeds there. Nothing is sent over it, so whose certificate it is does not matter. */
function speaksTls(address) {
  const found = /^\[?([^\]]+?)\]?:(\d+)$/.exec(address);
  if (!found || address.startsWith('unix:')) return Promise.resolve(false);
  return new Promise((resolve) => {
    const options = { host: found[1], port: Number(found[2]), rejectUnauthorized: false, ALPNProtocols: ['h2'] };
    const done = (answer) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const socket = connect(options, () => done(true));
    const timer = setTimeout(() => done(false), PATIENCE_MS);
    socket.on('error', () => done(false));
  });
}
