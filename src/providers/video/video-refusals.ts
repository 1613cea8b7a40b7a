import type { FaultCode } from '../../domain/data/fault.ts';

/** The playability status of a video on YouTube, with its reason. */
export interface Playability {
  readonly status: string;
  /** Message for people, in English. */
  readonly reason?: string | undefined;
  /** Present if a video is restricted by age. */
  readonly desktopLegacyAgeGateReason?: unknown;
}

/** Why captions are unavailable. `why` contains no text of the platform. */
export interface Refusal {
  readonly fault: FaultCode;
  readonly why: string;
}

/** Returns why a video is unavailable to this server, or `undefined` if it is available. */
export function refusalOf({ status, reason = '', ...rest }: Playability): Refusal | undefined {
  if (status === 'OK') return undefined;
  const isForAdults = rest.desktopLegacyAgeGateReason !== undefined || AGES.has(status);
  if (isForAdults) return BY_AGE;
  const row = REFUSALS.find(([ofStatus, words]) => ofStatus.test(status) && words.test(reason));
  return row?.[2] ?? UNKNOWN;
}

const AGES = new Set(['AGE_CHECK_REQUIRED', 'AGE_VERIFICATION_REQUIRED', 'CONTENT_CHECK_REQUIRED']);
const BY_AGE: Refusal = {
  fault: 'upstream_unauthorized',
  why: 'It is restricted by age and requires sign-in.',
};
const UNKNOWN: Refusal = {
  fault: 'upstream_bad_payload',
  why: 'It has an unknown status.',
};
const ANY = /^/;

/** Rules for unavailable videos. The first match counts. */
const REFUSALS: readonly (readonly [status: RegExp, reason: RegExp, refusal: Refusal])[] = [
  [
    ANY,
    /not a (?:ro)?bot|page needs to be reloaded|unusual traffic/i,
    { fault: 'blocked_by_upstream', why: 'YouTube treats this server as a bot.' },
  ],
  [ANY, /\bage\b|inappropriate/i, BY_AGE],
  [
    ANY,
    /\b(?:country|countries|region|location)\b/i,
    { fault: 'geo_blocked', why: "It is not available in this server's region." },
  ],
  [
    /^LOGIN_REQUIRED$/,
    ANY,
    { fault: 'upstream_unauthorized', why: 'It is private or requires sign-in.' },
  ],
  [
    ANY,
    /members|purchase|\brent|payment|premium/i,
    { fault: 'upstream_unauthorized', why: 'It requires payment.' },
  ],
  [
    /^LIVE_STREAM_OFFLINE$/,
    ANY,
    { fault: 'not_found', why: 'It is a live stream that is offline and has no captions yet.' },
  ],
  [
    /^(?:ERROR|UNPLAYABLE)$/,
    ANY,
    { fault: 'upstream_gone', why: 'The video is not available.' },
  ],
];
