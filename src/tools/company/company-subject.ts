import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import type { Registry } from '../../domain/company/registries.ts';

/** Parameters that identify a company. Checks that need an omitted one are not covered. */
export const COMPANY_FIELDS = {
  name: z.string().trim().min(2).max(200).describe('Company name, with its legal form.'),
  jurisdiction: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]{2,3})?$/)
    .optional()
    .describe('Also ask: no, fr, gb, us-co, us-ny or us-sec.'),
  ticker: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9./-]{0,9}$/)
    .optional()
    .describe('US stock ticker; needed for its filings.'),
  origin: z
    .url({ protocol: /^https?$/ })
    .transform((text) => new URL(text).origin)
    .optional()
    .describe('Origin of its tool server or agent; needed for audits of it.'),
  wallet: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .transform((text) => text.toLowerCase())
    .optional()
    .describe('Wallet at which it is paid; needed for its record here.'),
};

/**
 * Checks that a registry of the jurisdiction is available.
 *
 * @throws {AppError} `INPUT_INVALID` listing the allowed ones; `NOT_CONFIGURED` naming the variable
 */
export function checkJurisdiction(
  jurisdiction: string | undefined,
  registries: readonly Registry[],
): void {
  const found = registries.find((one) => one.jurisdiction === jurisdiction);
  if (jurisdiction !== undefined && found === undefined) {
    throw new AppError('INPUT_INVALID', {
      message:
        `\`jurisdiction\` is ${JSON.stringify(jurisdiction)}; ` +
        `this server has ${registries.map((one) => one.jurisdiction).join(', ')}.`,
      data: {
        path: 'jurisdiction',
        reason: 'unsupported_jurisdiction',
        received: jurisdiction,
        allowed: registries.map((one) => one.jurisdiction),
      },
    });
  }
  const variable = found?.missing[0];
  if (variable === undefined) return;
  const message = `This registry is available only once the operator has set ${variable}.`;
  throw new AppError('NOT_CONFIGURED', { message, data: { variable } });
}
