import type { Clock } from '../../domain/common/clock.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { acceptCosignatures } from '../../domain/proof/cosign.ts';
import type { VerifierKey, VerifyEd25519 } from '../../domain/proof/note.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';
import { networkOf } from '../http/address.ts';
import { TokenBuckets } from '../mcp/call/token-buckets.ts';
import { errorReply, jsonReply } from './replies.ts';

/** Largest body, in bytes: a checkpoint and a line for each witness. */
export const COSIGNATURES_BYTES_MAX = 16_384;
/** Cosignature limit per network: a burst, and a rate per minute. */
export const COSIGN_RATE = { burst: 60, perMinute: 60 } as const;
const COSIGNERS_MAX = 1_000;

/** The dependencies of the cosignature route. */
export interface CosignatureDeps {
  readonly log: ProofLog;
  readonly clock: Clock;
  readonly witnesses: readonly VerifierKey[];
  readonly verify: VerifyEd25519;
}

/**
 * Creates `POST /v1/proofs/cosignatures`, which accepts a checkpoint with lines of known witnesses.
 */
export function cosignatureRoute(parts: CosignatureDeps): FrontRoute {
  const { log, clock, witnesses, verify } = parts;
  const buckets = new TokenBuckets(COSIGN_RATE, COSIGNERS_MAX);
  return plainRoute(
    {
      methods: ['POST'],
      path: '/v1/proofs/cosignatures',
      access: 'open',
      bodyBytesMax: COSIGNATURES_BYTES_MAX,
    },
    async (request, body) => {
      const now = clock.now();
      const waitMs = buckets.take(networkOf(request.remoteAddress), now);
      if (waitMs > 0) return errorReply(new AppError('RATE_LIMITED'), waitMs);
      try {
        if (witnesses.length === 0) throw noWitnesses();
        const { evidence } = log;
        const text = body.toString('utf8');
        return jsonReply(200, await acceptCosignatures(text, { evidence, witnesses, verify, now }));
      } catch (thrown) {
        return errorReply(toAppError(thrown));
      }
    },
  );
}

function noWitnesses(): AppError {
  return new AppError('NOT_CONFIGURED', {
    message: 'The operator has not configured a witness (`STOA_WITNESS_KEYS`).',
  });
}
