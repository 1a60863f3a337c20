/**
 * The contract, loaded from its .proto files in `contract/`.
 *
 * Names are those of the files (`decision_id`, not `decisionId`), enum values their names as strings. A message that
 * is not set is null or absent, a list that is empty is [].
 */
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const folder = fileURLToPath(new URL('contract', import.meta.url));

function load(file) {
  const options = { includeDirs: [folder], keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true };
  return grpc.loadPackageDefinition(loadSync(file, options));
}

export const { PlayService } = load('fudaba/v1/play.proto').fudaba.v1;
const { Status } = load('google/rpc/status.proto').google.rpc;
const { ErrorInfo, RetryInfo } = load('google/rpc/error_details.proto').google.rpc;

const decode = (type, value) => type.deserialize(Buffer.from(value));

/**
 * Why a call ended.
 *
 * @typedef {object} Failure
 * @property {string} code the gRPC status code, as `ABORTED`
 * @property {string} reason one of contract/fudaba/v1/errors.proto; empty when it was not the service that spoke
 * @property {string} message for people
 * @property {number} retryAfter how long the service asks to wait before the next attempt, in milliseconds, or 0
 */

/**
 * What the end of a call says: its status, and the google.rpc.Status in its trailing metadata if there is one.
 *
 * @returns {Failure}
 */
export function failure(error) {
  const found = { code: grpc.status[error.code] ?? 'UNKNOWN', reason: '', message: error.details ?? error.message, retryAfter: 0 };
  for (const raw of error.metadata?.get('grpc-status-details-bin') ?? []) {
    for (const detail of decode(Status, raw).details) {
      if (detail.type_url?.endsWith('/google.rpc.ErrorInfo')) {
        const info = decode(ErrorInfo, detail.value);
        if (info.domain === 'fudaba') found.reason = info.reason;
      } else if (detail.type_url?.endsWith('/google.rpc.RetryInfo')) {
        const delay = decode(RetryInfo, detail.value).retry_delay;
        if (delay) found.retryAfter = Number(delay.seconds) * 1000 + delay.nanos / 1e6;
      }
    }
  }
  return found;
}
