import { z } from 'zod';
import { AppError } from '../common/error.ts';
import { WALLET_HEADER_CHARS_MAX } from '../wallet/wallet-request.ts';
import { AsiCategory, ProbeMode, type TargetAddress } from './records.ts';

/** Maximum time that one call waits for an audit to end, in seconds. */
export const AUDIT_WAIT_S_MAX = 300;
const ADDRESS_CHARS_MAX = 2_000;
const COMMAND = /^stdio:([A-Za-z0-9._-]{1,64})$/;

/** Input of an audit order. */
export const AuditRequest = z.strictObject({
  target: z
    .string()
    .min(1)
    .max(ADDRESS_CHARS_MAX)
    .describe(
      'Address of an MCP endpoint (streamable HTTP) or of an A2A agent card, or stdio:<name> of ' +
        'a program that the operator allows.',
    ),
  target_kind: z
    .enum(['mcp', 'a2a_card'])
    .default('mcp')
    .describe('What stands at an http address.'),
  mode: ProbeMode.default('active').describe(
    'passive only reads what the target tells any client. active calls tools with harmless ' +
      'values and needs the proof that you control the origin: without consent you get a secret ' +
      'nonce and the text to serve (its SHA-256), free.',
  ),
  consent: z
    .union([
      z.strictObject({
        nonce: z
          .string()
          .min(1)
          .max(200)
          .describe(
            'The secret nonce of the free answer; your origin serves its SHA-256 in hex now.',
          ),
      }),
      z.strictObject({
        passport: z
          .string()
          .min(1)
          .max(200)
          .describe(
            'Your passport, which your origin names under /.well-known/agent-registration.json.',
          ),
        stoa_wallet: z
          .string()
          .min(1)
          .max(WALLET_HEADER_CHARS_MAX)
          .describe(
            'The header stoa-wallet of the passport’s wallet over the request that the free ' +
              'answer names.',
          ),
      }),
    ])
    .optional(),
  allow_writes: z
    .boolean()
    .default(false)
    .describe(
      'true also calls tools that may write, with names that nothing on the target has, and ' +
        'removes what they made where the target can. false calls only tools that clearly read ' +
        'or compute.',
    ),
  categories: z
    .array(AsiCategory)
    .min(1)
    .max(AsiCategory.options.length)
    .optional()
    .describe('Only these categories; all ten by default.'),
  wait_s: z
    .int()
    .min(0)
    .max(AUDIT_WAIT_S_MAX)
    .default(20)
    .describe('Seconds to wait for the end; then you get a job_id for get_result.'),
});
/** A parsed {@link AuditRequest}. */
export type AuditRequest = z.infer<typeof AuditRequest>;

/**
 * Parses the target address of a request.
 *
 * @throws {AppError} `INPUT_INVALID` if the address is not supported.
 */
export function targetOf({ target, target_kind }: AuditRequest): TargetAddress {
  const command = COMMAND.exec(target)?.[1];
  if (command !== undefined && target_kind === 'mcp') return { kind: 'mcp_stdio', name: command };
  const url = URL.canParse(target) ? new URL(target) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isHttp || url.username !== '' || url.password !== '') {
    throw new AppError('INPUT_INVALID', {
      message: 'A target is an http or https address without credentials, or stdio:<name>.',
      data: {
        path: 'target',
        received: target.slice(0, 200),
        allowed: 'https://host/path or stdio:<name>',
      },
    });
  }
  url.hash = '';
  return { kind: target_kind === 'mcp' ? 'mcp_http' : 'a2a_card', url: url.href };
}

/** Returns the origin of a target: `https://host:port`, or `stdio:<name>`. */
export function originOf(target: TargetAddress): string {
  return target.kind === 'mcp_stdio' ? `stdio:${target.name}` : new URL(target.url).origin;
}

/** Returns the categories in scope, in canonical order without duplicates. */
export function scopeOf({ categories }: AuditRequest): readonly AsiCategory[] {
  if (categories === undefined) return AsiCategory.options;
  return AsiCategory.options.filter((category) => categories.includes(category));
}
