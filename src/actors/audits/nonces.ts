import { CONSENT_MS, CONSENT_PATH } from '../../domain/audit/consent.ts';
import { AppError } from '../../domain/error.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Random } from '../../domain/ports/random.ts';
import { SECOND_MS } from '../../domain/time.ts';

const TIME_DIGITS = 8;
const CHANCE_DIGITS = 8;
const MAC_DIGITS = 24;
const NONCE = new RegExp(
  `^stoa-audit-v(\\d{1,9})_([0-9a-f]{${TIME_DIGITS}})([0-9a-f]{${CHANCE_DIGITS}})` +
    `([0-9a-f]{${MAC_DIGITS}})$`,
);

/** What nonces are made with. */
export interface NonceDeps {
  /** HMAC-SHA256 under a key of this server, in hex. */
  mac(text: string): string;
  readonly random: Random;
  readonly clock: Pick<Clock, 'now'>;
}

/** Makes and knows nonces of this server, without keeping any. */
export interface Nonces {
  /** A fresh nonce, for one origin and one probe set. */
  issue(
    origin: string,
    probeSetVersion: number,
  ): { readonly nonce: string; readonly until: number };
  /** Why a nonce is not one of this server for this origin and probe set, or is too old. */
  faultOf(nonce: string, origin: string, probeSetVersion: number): string | undefined;
}

/** Makes nonces that carry their own end, and are bound to origin and probe set by a MAC. */
export function createNonces({ mac, random, clock }: NonceDeps): Nonces {
  const macOf = (origin: string, set: number, body: string): string =>
    mac(`stoa audit nonce v1|${origin}|${set}|${body}`).slice(0, MAC_DIGITS);
  return {
    issue: (origin, set) => {
      const untilS = Math.ceil((clock.now() + CONSENT_MS) / SECOND_MS);
      const chance = Buffer.from(random.bytes(CHANCE_DIGITS / 2)).toString('hex');
      const body = `${untilS.toString(16).padStart(TIME_DIGITS, '0')}${chance}`;
      return {
        nonce: `stoa-audit-v${set}_${body}${macOf(origin, set, body)}`,
        until: untilS * SECOND_MS,
      };
    },
    faultOf: (nonce, origin, set) => {
      const [, ofSet, time = '', chance = '', given] = NONCE.exec(nonce) ?? [];
      if (given === undefined) return 'The nonce is not one of this server.';
      if (Number(ofSet) !== set) return 'The nonce is of another probe set.';
      if (given !== macOf(origin, set, `${time}${chance}`)) {
        return 'The nonce is not one of this server for this origin.';
      }
      const isOver = Number.parseInt(time, 16) * SECOND_MS <= clock.now();
      return isOver ? 'The nonce has expired.' : undefined;
    },
  };
}

/** Says how control of an origin is proven, with a fresh nonce to do it. */
export function howToProve(
  nonces: Nonces,
  { origin, probeSetVersion, message }: ProveFacts,
): AppError {
  const { nonce, until } = nonces.issue(origin, probeSetVersion);
  return new AppError('AUDIT_UNPROVEN', {
    message:
      `${message} Active probes need the proof that you control ${origin}: serve the nonce as ` +
      `plain text at ${origin}${CONSENT_PATH} and call again with consent: {nonce}. ` +
      'Nothing was charged. Or call with mode "passive".',
    data: {
      nonce,
      serve_at: `${origin}${CONSENT_PATH}`,
      content_type: 'text/plain',
      expires_at: new Date(until).toISOString(),
      probe_set_version: probeSetVersion,
      or: 'mode: passive',
    },
  });
}

/** What {@link howToProve} speaks of. */
export interface ProveFacts {
  readonly origin: string;
  readonly probeSetVersion: number;
  /** What is missing. */
  readonly message: string;
}
