import { z } from 'zod';
import { sha256Hex } from '../common/hash.ts';
import { capability } from '../common/id.ts';
import type { Random } from '../common/random.ts';
import { HOUR_MS } from '../common/time.ts';

/** Where the owner of an origin serves the hash of the nonce, as plain text. */
export const CONSENT_PATH = '/.well-known/stoa-audit.txt';
/** Where an origin names the passports that it stands for (ERC-8004). */
export const REGISTRATION_PATH = '/.well-known/agent-registration.json';
/** How long a proof of control holds. */
export const CONSENT_MS = HOUR_MS;

/** That the owner of an origin agreed to active probes: of what, where, and until when. */
export const ConsentProof = z.object({
  kind: z.enum(['nonce', 'passport']),
  origin: z.string(),
  /** The IP address that served it. */
  connectedAddress: z.string(),
  probeSetVersion: z.number().int(),
  /** The passport, or the SHA-256 of the nonce. */
  subject: z.string(),
  /** SHA-256 over the request and the whole answer. */
  evidenceSha256: z.string(),
  /** Milliseconds. */
  provenAt: z.number(),
  /** Milliseconds. */
  expiresAt: z.number(),
});
/** See {@link ConsentProof}. */
export type ConsentProof = z.infer<typeof ConsentProof>;

/** What a proof is held against. */
export interface ConsentQuestion {
  readonly origin: string;
  readonly connectedAddress: string | null;
  readonly probeSetVersion: number;
  readonly now: number;
}

/** Makes a nonce that names the probe set that it agrees to. */
export function consentNonce(random: Random, probeSetVersion: number): string {
  return capability(noncePrefix(probeSetVersion), random);
}

/** True for nonces of this probe set. */
export function isNonceOf(nonce: string, probeSetVersion: number): boolean {
  const prefix = `${noncePrefix(probeSetVersion)}_`;
  return nonce.startsWith(prefix) && /^[0-9a-f]{40}$/.test(nonce.slice(prefix.length));
}

/**
 * What an origin serves for a nonce: its SHA-256 in hex. Anyone can read that, and order or stop
 * nothing with it: both take the nonce, which only the asker knows.
 */
export function servedFor(nonce: string): string {
  return sha256Hex(nonce);
}

/** True while a proof covers active probes of this set on this origin, at this address. */
export function covers(proof: ConsentProof, question: ConsentQuestion): boolean {
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
