import { z } from 'zod';
import { AppError } from '../common/error.ts';
import { ADVANCED } from '../tool/advanced.ts';
import { waitField } from '../tool/wait-field.ts';
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
    .describe('URL of an MCP endpoint or A2A card, or stdio:<name> of an allowed program.'),
  target_kind: z
    .enum(['mcp', 'a2a_card'])
    .default('mcp')
    .describe('Kind of target. Default: mcp.')
    .meta(ADVANCED),
  mode: ProbeMode.default('active').describe(
    'passive only reads; active also calls tools and needs consent. Default: active.',
  ),
  consent: z
    .union([
      z.strictObject({
        nonce: z
          .string()
          .min(1)
          .max(200)
          .describe(
            'Secret nonce from the free response. Your origin must serve its SHA-256 in hex.',
          ),
      }),
      z.strictObject({
        passport: z
          .string()
          .min(1)
          .max(200)
          .describe(
            'Your passport. Your origin must list it in /.well-known/agent-registration.json.',
          ),
        stoa_wallet: z
          .string()
          .min(1)
          .max(WALLET_HEADER_CHARS_MAX)
          .describe(
            'stoa-wallet header, signed by the passport’s wallet for the request in the free ' +
              'response.',
          ),
      }),
    ])
    .optional()
    .describe('Proof that you control the origin. A call without it says how to get it.'),
  allow_writes: z
    .boolean()
    .default(false)
    .describe('Also call tools that may write, with unused names, and clean up. Default: false.')
    .meta(ADVANCED),
  categories: z
    .array(AsiCategory)
    .min(1)
    .max(AsiCategory.options.length)
    .optional()
    .describe('ASI01 to ASI10. Default: all.')
    .meta(ADVANCED),
  wait_s: waitField(AUDIT_WAIT_S_MAX, 20),
});
/** A parsed {@link AuditRequest}. */
export type AuditRequest = z.infer<typeof AuditRequest>;

/**
 * Parses the target address of a request.
 *
 * @throws {AppError} `INPUT_INVALID` if the address is not supported.
 */
export function parseTarget({ target, target_kind }: AuditRequest): TargetAddress {
  const command = COMMAND.exec(target)?.[1];
  if (command !== undefined && target_kind === 'mcp') return { kind: 'mcp_stdio', name: command };
  const url = URL.canParse(target) ? new URL(target) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isHttp || url.username !== '' || url.password !== '') {
    throw new AppError('INPUT_INVALID', {
      message: '`target` must be an http or https URL without credentials, or stdio:<name>.',
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
export function targetOrigin(target: TargetAddress): string {
  return target.kind === 'mcp_stdio' ? `stdio:${target.name}` : new URL(target.url).origin;
}

/** Returns the categories in scope, in canonical order without duplicates. */
export function selectCategories({ categories }: AuditRequest): readonly AsiCategory[] {
  if (categories === undefined) return AsiCategory.options;
  return AsiCategory.options.filter((category) => categories.includes(category));
}
