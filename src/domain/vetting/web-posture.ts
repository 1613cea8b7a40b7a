import { DAY_MS, SECOND_MS, toIsoTime } from '../common/time.ts';
import type { PeerCertificate } from '../net/egress.ts';
import type { FindingSeverity } from './lens.ts';

/** Minimum HSTS duration in days; shorter ones are findings. */
export const HSTS_DAYS_MIN = 180;
/** Minimum remaining certificate lifetime in days; shorter ones are findings. */
export const CERTIFICATE_DAYS_MIN = 14;

/** An observation about a web site. It never contains text of the site. */
export interface SiteObservation {
  readonly rule: string;
  readonly severity: FindingSeverity;
  readonly claim: string;
}

type Headers = Readonly<Record<string, string>>;

/** Returns the findings from the headers of a page. */
export function checkHeaders(headers: Headers, url: URL): readonly SiteObservation[] {
  const { host } = url;
  const policy = headers['content-security-policy'];
  const options = headers['x-content-type-options']?.trim().toLowerCase();
  return [
    // Browsers ignore HSTS over http.
    ...(url.protocol === 'https:' ? [checkHsts(headers['strict-transport-security'], host)] : []),
    policy === undefined || policy.trim() === ''
      ? createObservation(
          'no_csp',
          'low',
          `${host} sends no Content-Security-Policy with its first page.`,
        )
      : createObservation(
          'csp',
          'info',
          `${host} sends a Content-Security-Policy (rules not assessed).`,
        ),
    options === 'nosniff'
      ? createObservation('nosniff', 'info', `${host} sends X-Content-Type-Options: nosniff.`)
      : createObservation(
          'no_nosniff',
          'low',
          `${host} does not send X-Content-Type-Options: nosniff.`,
        ),
  ];
}

function checkHsts(value: string | undefined, host: string): SiteObservation {
  const seconds = Number(/max-age\s*=\s*"?(\d{1,12})/i.exec(value ?? '')?.[1] ?? 0);
  if (seconds === 0) {
    return createObservation(
      'no_hsts',
      'low',
      `${host} does not enforce https (Strict-Transport-Security).`,
    );
  }
  const days = Math.floor((seconds * SECOND_MS) / DAY_MS);
  const claim = `${host} enforces https for ${days} days (Strict-Transport-Security).`;
  return days < HSTS_DAYS_MIN
    ? createObservation('short_hsts', 'low', claim)
    : createObservation('hsts', 'info', claim);
}

/** Returns the finding from a `/.well-known/security.txt` (RFC 9116). `now` is in milliseconds. */
export function checkSecurityText(text: string, host: string, now: number): SiteObservation {
  const where = `security.txt of ${host}`;
  const hasContact = /^contact:\s*\S/im.test(text);
  const expires = Date.parse(/^expires:\s*(\S{1,40})/im.exec(text)?.[1] ?? '');
  if (!hasContact || Number.isNaN(expires)) {
    const claim = `${where} lacks a contact or an expiry date, which RFC 9116 requires.`;
    return createObservation('security_txt_incomplete', 'low', claim);
  }
  const day = toIsoTime(expires).slice(0, 10);
  return expires < now
    ? createObservation('security_txt_expired', 'low', `${where} expired on ${day}.`)
    : createObservation(
        'security_txt',
        'info',
        `${where} names a contact and is valid until ${day}.`,
      );
}

/** Returns the finding on the validity of a certificate. `now` is in milliseconds. */
export function checkCertificate(
  { validFrom, validTo }: PeerCertificate,
  host: string,
  now: number,
): SiteObservation {
  const [from, to] = [validFrom.slice(0, 10), validTo.slice(0, 10)];
  const claim = `The certificate of ${host} is valid from ${from} to ${to}.`;
  const isSoon = Date.parse(validTo) - now < CERTIFICATE_DAYS_MIN * DAY_MS;
  return isSoon
    ? createObservation('certificate_ends_soon', 'low', claim)
    : createObservation('certificate', 'info', claim);
}

/** Creates an observation. */
export function createObservation(
  rule: string,
  severity: FindingSeverity,
  claim: string,
): SiteObservation {
  return { rule, severity, claim };
}
