/**
 * The contract: its types, generated from the .proto files, and its messages, loaded from the same files.
 *
 * Names are those of the .proto files (`decision_id`, not `decisionId`), enum values their names as strings. A message
 * that is not set is null, a list that is empty is []. The options here and those of `npm run types` must agree.
 */
import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { MatchHeader__Output } from './gen/fudaba/v1/MatchHeader.js';
import type { ProtoGrpcType as PlayTypes } from './gen/play.js';
import type { ProtoGrpcType as StatusTypes } from './gen/status.js';
import type { ProtoGrpcType as DetailTypes } from './gen/error_details.js';

export type { Answer } from './gen/fudaba/v1/Answer.js';
export type { Decision__Output as Decision } from './gen/fudaba/v1/Decision.js';
export type { Hello } from './gen/fudaba/v1/Hello.js';
export type Options = MatchHeader__Output['options'];
export type { PlayRequest } from './gen/fudaba/v1/PlayRequest.js';
export type { PlayResponse__Output as PlayResponse } from './gen/fudaba/v1/PlayResponse.js';
export type { PlayServiceClient } from './gen/fudaba/v1/PlayService.js';
export type { Refusal__Output as Refusal } from './gen/fudaba/v1/Refusal.js';
export type { SeatUpdate__Output as SeatUpdate } from './gen/fudaba/v1/SeatUpdate.js';
export type { Welcome__Output as Welcome } from './gen/fudaba/v1/Welcome.js';

/** The folder that `fudaba proto -o contract` has written; this file runs as dist/src/contract.js. */
const folder = fileURLToPath(new URL('../../contract', import.meta.url));
const options = {
  includeDirs: [folder],
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: true,
  oneofs: true,
};

function load<T>(file: string): T {
  return grpc.loadPackageDefinition(loadSync(file, options)) as unknown as T;
}

export const { PlayService } = load<PlayTypes>('fudaba/v1/play.proto').fudaba.v1;
const { Status } = load<StatusTypes>('google/rpc/status.proto').google.rpc;
const { ErrorInfo, RetryInfo } = load<DetailTypes>('google/rpc/error_details.proto').google.rpc;

/** Why a call ended. */
export interface Failure {
  /** The gRPC status code, for example `ABORTED`. */
  readonly code: string;
  /** One of `fudaba/v1/errors.proto`, for example `SUPERSEDED`; empty when it was not the service that spoke. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
  /** How long the service asks to wait before the next attempt, in milliseconds; 0 when it does not say. */
  readonly retryAfter: number;
}

/** What the end of a call says: its status, and the google.rpc.Status in its trailing metadata if there is one. */
export function failure(error: Partial<grpc.ServiceError>): Failure {
  if (error.code === undefined || !error.metadata) {
    // Not a status: Node's own, of a stream that has broken.
    return { code: 'UNKNOWN', reason: '', message: error.message ?? String(error), retryAfter: 0 };
  }
  let reason = '';
  let retryAfter = 0;
  for (const raw of error.metadata.get('grpc-status-details-bin')) {
    for (const detail of Status.deserialize(Buffer.from(raw)).details ?? []) {
      if (!('value' in detail) || !detail.value) continue;
      const value = Buffer.from(detail.value as Uint8Array);
      if (detail.type_url?.endsWith('/google.rpc.ErrorInfo')) {
        const info = ErrorInfo.deserialize(value);
        if (info.domain === 'fudaba') reason = info.reason;
      } else if (detail.type_url?.endsWith('/google.rpc.RetryInfo')) {
        const delay = RetryInfo.deserialize(value).retry_delay;
        if (delay) retryAfter = Number(delay.seconds) * 1000 + delay.nanos / 1e6;
      }
    }
  }
  return { code: grpc.status[error.code] ?? 'UNKNOWN', reason, message: error.details ?? '', retryAfter };
}
