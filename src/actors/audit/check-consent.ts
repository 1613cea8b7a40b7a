import type { AuditTarget, RawResponse } from '../../domain/audit/audit-target.ts';
import {
  CONSENT_PATH,
  CONSENT_VALIDITY_MS,
  type ConsentProof,
  consentTextFor,
  isNonceOf,
  REGISTRATION_PATH,
} from '../../domain/audit/consent.ts';
import { createRawEvidence } from '../../domain/audit/evidence.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { isObject, tryParseJson } from '../../domain/common/json.ts';
import { PROBE_SET_VERSION } from './probes/probes.ts';

/** Maximum number of bytes read from a proof file. */
const FILE_BYTES_MAX = 65_536;
/** Maximum number of registrations searched in a file. */
const REGISTRATIONS_MAX = 100;

/** The caller's claim of control over the target's origin. */
export type ConsentClaim =
  | { readonly kind: 'nonce'; readonly nonce: string }
  /**
   * In the form `eip155:<chain>:<registry>:<id>`. The caller must verify that the requester holds
   * it.
   */
  | { readonly kind: 'passport'; readonly passport: string };

/**
 * Asks the target's origin, at the address that the audit connects to, whether its owner consents.
 * The origin must serve the hash of the nonce at {@link CONSENT_PATH}, or the passport in {@link
 * REGISTRATION_PATH}. Redirects are rejected, because they would let another origin consent.
 *
 * @throws {AppError} `AUDIT_UNPROVEN` with the expected content and its location;
 *   `AUDIT_TARGET_DOWN` if the origin does not answer, which proves nothing about its owner;
 *   `AUDIT_BUDGET`, `AUDIT_STOPPED`.
 */
export async function checkConsent(
  target: AuditTarget,
  claim: ConsentClaim,
  clock: Clock,
): Promise<ConsentProof> {
  const { exchange, pinnedAddress } = target;
  if (exchange === undefined || pinnedAddress === null) {
    throw unprovenError('Only the operator can consent for programs.', { origin: target.origin });
  }
  if (claim.kind === 'nonce' && !isNonceOf(claim.nonce, PROBE_SET_VERSION)) {
    throw unprovenError('The nonce is not valid for this probe set.', {
      probe_set: PROBE_SET_VERSION,
    });
  }
  const path = claim.kind === 'nonce' ? CONSENT_PATH : REGISTRATION_PATH;
  const answer = await exchange({ method: 'GET', path, answerBytesMax: FILE_BYTES_MAX });
  const place = `${target.origin}${path}`;
  const body = requireBody(answer, place);
  assertExpectedBody(body, claim, place);
  const provenAt = clock.now();
  return {
    kind: claim.kind,
    origin: target.origin,
    connectedAddress: pinnedAddress,
    probeSetVersion: PROBE_SET_VERSION,
    subject: claim.kind === 'nonce' ? consentTextFor(claim.nonce) : claim.passport,
    evidenceSha256: createRawEvidence(answer).sha256,
    provenAt,
    expiresAt: provenAt + CONSENT_VALIDITY_MS,
  };
}

function requireBody(answer: RawResponse, place: string): string {
  if (answer.kind !== 'answer') throw targetDownError({ place, outcome: answer.kind });
  if (isOverloaded(answer.status))
    throw targetDownError({ place, outcome: 'refused', status: answer.status });
  if (answer.status !== 200 || answer.isCut) {
    throw unprovenError('The origin does not serve the file.', { place, status: answer.status });
  }
  return answer.body;
}

/** A gateway error or an overloaded server proves nothing about the file. */
function isOverloaded(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

function targetDownError(data: Readonly<Record<string, unknown>>): AppError {
  const message = 'The origin does not answer the request for the proof of control.';
  return new AppError('AUDIT_TARGET_DOWN', { message, data });
}

function assertExpectedBody(body: string, claim: ConsentClaim, place: string): void {
  if (claim.kind === 'passport') {
    if (namesPassport(body, claim.passport)) return;
    throw unprovenError('The origin serves other content.', { place, wanted: claim.passport });
  }
  const said = body.trim();
  if (said === consentTextFor(claim.nonce)) return;
  const wanted = 'only the SHA-256 of the nonce, in hex';
  if (said !== claim.nonce)
    throw unprovenError('The origin serves other content.', { place, wanted });
  const leaked = 'The origin serves the nonce itself. It is void, because anyone may have read it.';
  throw unprovenError(leaked, { place, wanted });
}

function namesPassport(body: string, passport: string): boolean {
  const at = passport.lastIndexOf(':');
  const registry = passport.slice(0, at).toLowerCase();
  const id = passport.slice(at + 1);
  const file = tryParseJson(body);
  const rows = isObject(file) && Array.isArray(file['registrations']) ? file['registrations'] : [];
  return rows
    .slice(0, REGISTRATIONS_MAX)
    .some(
      (row) =>
        isObject(row) &&
        String(row['agentRegistry']).toLowerCase() === registry &&
        String(row['agentId']) === id,
    );
}

function unprovenError(message: string, data: Readonly<Record<string, unknown>>): AppError {
  return new AppError('AUDIT_UNPROVEN', { message, data });
}
