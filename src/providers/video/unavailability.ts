import type { FailureCode } from '../../domain/data/data-failure.ts';

/** The playability status of a video on YouTube, with its reason. */
export interface Playability {
  readonly status: string;
  /** Message for people, in English. */
  readonly reason?: string | undefined;
  /** Present if a video is restricted by age. */
  readonly desktopLegacyAgeGateReason?: unknown;
}

/** Why captions are unavailable. `why` contains no text of the platform. */
export interface Unavailability {
  readonly fault: FailureCode;
  readonly why: string;
}

/** Returns why a video is unavailable to this server, or `undefined` if it is available. */
export function findUnavailability({
  status,
  reason = '',
  ...rest
}: Playability): Unavailability | undefined {
  if (status === 'OK') return undefined;
  const isForAdults = rest.desktopLegacyAgeGateReason !== undefined || AGE_STATUSES.has(status);
  if (isForAdults) return AGE_RESTRICTED;
  const row = UNAVAILABILITY_RULES.find(
    ([ofStatus, words]) => ofStatus.test(status) && words.test(reason),
  );
  return row?.[2] ?? UNKNOWN_STATUS;
}

const AGE_STATUSES = new Set([
  'AGE_CHECK_REQUIRED',
  'AGE_VERIFICATION_REQUIRED',
  'CONTENT_CHECK_REQUIRED',
]);
const AGE_RESTRICTED: Unavailability = {
  fault: 'upstream_unauthorized',
  why: 'It is restricted by age and requires sign-in.',
};
const UNKNOWN_STATUS: Unavailability = {
  fault: 'upstream_bad_payload',
  why: 'It has an unknown status.',
};
const ANY_TEXT = /^/;

/** Rules for unavailable videos. The first match counts. */
const UNAVAILABILITY_RULES: readonly (readonly [
  status: RegExp,
  reason: RegExp,
  refusal: Unavailability,
])[] = [
  [
    ANY_TEXT,
    /not a (?:ro)?bot|page needs to be reloaded|unusual traffic/i,
    { fault: 'blocked_by_upstream', why: 'YouTube treats this server as a bot.' },
  ],
  [ANY_TEXT, /\bage\b|inappropriate/i, AGE_RESTRICTED],
  [
    ANY_TEXT,
    /\b(?:country|countries|region|location)\b/i,
    { fault: 'geo_blocked', why: "It is not available in this server's region." },
  ],
  [
    /^LOGIN_REQUIRED$/,
    ANY_TEXT,
    { fault: 'upstream_unauthorized', why: 'It is private or requires sign-in.' },
  ],
  [
    ANY_TEXT,
    /members|purchase|\brent|payment|premium/i,
    { fault: 'upstream_unauthorized', why: 'It requires payment.' },
  ],
  [
    /^LIVE_STREAM_OFFLINE$/,
    ANY_TEXT,
    { fault: 'not_found', why: 'It is a live stream that is offline and has no captions yet.' },
  ],
  [
    /^(?:ERROR|UNPLAYABLE)$/,
    ANY_TEXT,
    { fault: 'upstream_gone', why: 'The video is not available.' },
  ],
];
