import {
  CONSENT_PATH,
  CONSENT_VALIDITY_MS,
  consentTextFor,
  REGISTRATION_PATH,
} from '../../../domain/audit/consent.ts';
import { createPassportConsentRequest } from '../../../domain/audit/passport-consent.ts';
import type { AuditPlanName } from '../../../domain/audit/plans.ts';
import type { TargetAddress } from '../../../domain/audit/records.ts';
import { targetOrigin } from '../../../domain/audit/request.ts';
import { AppError } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { Services } from '../../common/services.ts';

const TIME_DIGITS = 8;
const CHANCE_DIGITS = 8;
const MAC_DIGITS = 24;
const NONCE = new RegExp(
  `^stoa-audit-v(\\d{1,9})_([0-9a-f]{${TIME_DIGITS}})([0-9a-f]{${CHANCE_DIGITS}})` +
    `([0-9a-f]{${MAC_DIGITS}})$`,
);

/** The consent that a nonce expresses. */
export interface NonceScope {
  readonly target: TargetAddress;
  readonly plan: AuditPlanName;
  readonly probeSetVersion: number;
  /** Whether tools that may write can be called. */
  readonly allowWrites: boolean;
}

/** Issues and verifies nonces of this server without storing them. */
export interface Nonces {
  /** Issues a new nonce for one target, plan, and probe set. */
  issue(scope: NonceScope): { readonly nonce: string; readonly until: number };
  /** Returns why a nonce is invalid or expired for this scope; `undefined` if it is valid. */
  explainInvalid(nonce: string, scope: NonceScope): string | undefined;
}

/** Creates nonces that contain their expiry and are bound to their scope by a MAC. */
export function createNonces({
  mac,
  random,
  clock,
}: Pick<Services, 'clock' | 'random'> & {
  /** Returns an HMAC-SHA256 with a key of this server, in hex. */
  mac(text: string): string;
}): Nonces {
  const macOf = (scope: NonceScope, body: string): string => {
    const { target, plan, probeSetVersion, allowWrites } = scope;
    const place = target.kind === 'mcp_stdio' ? target.name : target.url;
    const agreed = [target.kind, place, plan, probeSetVersion, allowWrites];
    return mac(JSON.stringify(['stoa audit nonce v3', ...agreed, body])).slice(0, MAC_DIGITS);
  };
  return {
    issue: (scope) => {
      const untilS = Math.ceil((clock.now() + CONSENT_VALIDITY_MS) / SECOND_MS);
      const chance = Buffer.from(random.bytes(CHANCE_DIGITS / 2)).toString('hex');
      const body = `${untilS.toString(16).padStart(TIME_DIGITS, '0')}${chance}`;
      return {
        nonce: `stoa-audit-v${scope.probeSetVersion}_${body}${macOf(scope, body)}`,
        until: untilS * SECOND_MS,
      };
    },
    explainInvalid: (nonce, scope) => {
      const [, ofSet, time = '', chance = '', given] = NONCE.exec(nonce) ?? [];
      if (given === undefined) return 'This server did not issue the nonce.';
      if (Number(ofSet) !== scope.probeSetVersion) return 'The nonce is for another probe set.';
      if (given !== macOf(scope, `${time}${chance}`)) {
        return 'The nonce was not issued for this target, plan, and allow_writes.';
      }
      const isOver = Number.parseInt(time, 16) * SECOND_MS <= clock.now();
      return isOver ? 'The nonce has expired.' : undefined;
    },
  };
}

/** Creates the error that explains how to prove control of an origin, with a new nonce. */
export function consentRequiredError(nonces: Nonces, scope: NonceScope, missing: string): AppError {
  const { nonce, until } = nonces.issue(scope);
  const origin = targetOrigin(scope.target);
  const text = consentTextFor(nonce);
  const place = `${origin}${CONSENT_PATH}`;
  const hasPassive = scope.plan !== 'injection';
  return new AppError('AUDIT_UNPROVEN', {
    message:
      `${missing} Active probes require proof that you control ${origin}: serve ${text} (the ` +
      `SHA-256 of the nonce in hex) as plain text at ${place}, keep the nonce secret (it orders ` +
      'and stops the audit), and call again with consent: {nonce}. You are not charged.' +
      (hasPassive ? ' Or call with mode "passive".' : ''),
    data: {
      nonce,
      nonce_use: 'Secret: never serve it. Send it as consent: {nonce}, or to stop the audit.',
      serve_text: text,
      serve_text_is: 'sha256(nonce) in hex: public.',
      serve_at: place,
      content_type: 'text/plain',
      expires_at: new Date(until).toISOString(),
      probe_set_version: scope.probeSetVersion,
      allow_writes: scope.allowWrites,
      or_passport: passportInstructions(scope),
      ...(hasPassive ? { or: 'mode: passive' } : {}),
    },
  });
}

/** Explains the alternative: a wallet signs this request, and the origin names its passport. */
function passportInstructions(scope: NonceScope): Readonly<Record<string, string>> {
  const { method, path, text } = createPassportConsentRequest(scope);
  return {
    serve_at: `${targetOrigin(scope.target)}${REGISTRATION_PATH}`,
    serve: '{"registrations": [{"agentRegistry": "eip155:…", "agentId": N}]} with your passport',
    sign_method: method,
    sign_path: path,
    sign_body: text,
    bring: 'consent: {passport, stoa_wallet: the header stoa-wallet over this request}',
  };
}
