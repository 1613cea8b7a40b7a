import { z } from 'zod';
import { sha256Hex } from '../common/hash.ts';
import { createCapability } from '../common/id.ts';
import type { Random } from '../common/random.ts';
import { HOUR_MS } from '../common/time.ts';

/** Path at which the owner of an origin serves the hash of the nonce as plain text. */
export const CONSENT_PATH = '/.well-known/stoa-audit.txt';
/** Path at which an origin lists its passports (ERC-8004). */
export const REGISTRATION_PATH = '/.well-known/agent-registration.json';
/** How long a proof of control is valid. */
export const CONSENT_VALIDITY_MS = HOUR_MS;

/** Proof that the owner of an origin consents to active probes, with scope and expiry. */
export const ConsentProof = z.object({
  kind: z.enum(['nonce', 'passport']),
  origin: z.string(),
  /** IP address that served the proof. */
  connectedAddress: z.string(),
  probeSetVersion: z.number().int(),
  /** The passport, or the SHA-256 of the nonce. */
  subject: z.string(),
  /** SHA-256 over the request and the full response. */
  evidenceSha256: z.string(),
  /** Milliseconds. */
  provenAt: z.number(),
  /** Milliseconds. */
  expiresAt: z.number(),
});
/** A parsed {@link ConsentProof}. */
export type ConsentProof = z.infer<typeof ConsentProof>;

/** Values that a consent proof must match. */
export interface ConsentContext {
  readonly origin: string;
  readonly connectedAddress: string | null;
  readonly probeSetVersion: number;
  readonly now: number;
}

/** Creates a nonce for one probe set version. */
export function createConsentNonce(random: Random, probeSetVersion: number): string {
  return createCapability(noncePrefix(probeSetVersion), random);
}

/** Returns whether a nonce belongs to this probe set version. */
export function isNonceOf(nonce: string, probeSetVersion: number): boolean {
  const prefix = `${noncePrefix(probeSetVersion)}_`;
  return nonce.startsWith(prefix) && /^[0-9a-f]{40}$/.test(nonce.slice(prefix.length));
}

/**
 * Returns the text that an origin serves for a nonce: its SHA-256 in hex. The hash is public;
 * starting or stopping an audit requires the nonce, which only the requester knows.
 */
export function consentTextFor(nonce: string): string {
  return sha256Hex(nonce);
}

/** Returns whether a proof is valid for active probes of this set at this origin and address. */
export function isConsentValid(proof: ConsentProof, question: ConsentContext): boolean {
  const { origin, connectedAddress, probeSetVersion, now } = question;
  return (
    proof.origin === origin &&
    proof.connectedAddress === connectedAddress &&
    proof.probeSetVersion === probeSetVersion &&
    proof.provenAt <= now &&
    now < proof.expiresAt
  );
}

function noncePrefix(probeSetVersion: number): string {
  return `stoa-audit-v${probeSetVersion}`;
}
