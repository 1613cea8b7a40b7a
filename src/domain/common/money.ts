import { z } from 'zod';
import { AppError } from './error.ts';

declare const microUsdBrand: unique symbol;

/** An amount in micro-dollars, for computations only. */
export type MicroUsd = bigint & { readonly [microUsdBrand]: true };

/** An amount in storage or transport: whole micro-dollars as a decimal string. */
export const MicroUsdText = z.string().regex(/^(0|[1-9]\d{0,17})$/);

/** A parsed {@link MicroUsdText}. */
export type MicroUsdText = z.infer<typeof MicroUsdText>;

/** An amount literal in the code, which the type system distinguishes from other strings. */
export type MicroUsdLiteral = `${bigint}`;

/** Money as returned to callers; `micro_usd` is exact, `amount` is the same in dollars. */
export const Money = z.object({
  amount: z.string(),
  currency: z.literal('USD'),
  micro_usd: MicroUsdText,
});

/** A parsed {@link Money}. */
export type Money = z.infer<typeof Money>;

const MICROS_PER_DOLLAR = 1_000_000n;
const DOLLARS_FORM = /^(\d{1,12})(?:\.(\d{1,6}))?$/;

/**
 * Parses dollars such as `0.25`.
 *
 * @throws {AppError} `INPUT_INVALID` if the text is not a plain decimal with at most six places.
 */
export function parseUsd(dollars: string): MicroUsd {
  const match = DOLLARS_FORM.exec(dollars);
  if (match === null) {
    throw new AppError('INPUT_INVALID', {
      message: 'An amount must be a decimal string in dollars with at most 6 places.',
      data: { received: dollars, allowed: '0.25' },
    });
  }
  const [, integerPart = '0', places = ''] = match;
  return (BigInt(integerPart) * MICROS_PER_DOLLAR + BigInt(places.padEnd(6, '0'))) as MicroUsd;
}

/** Parses the stored form of an amount. */
export function parseMicroUsd(text: MicroUsdText): MicroUsd {
  return BigInt(text) as MicroUsd;
}

/** Formats an amount for storage. Stored amounts are never negative. */
export function formatMicroUsd(amount: bigint): MicroUsdText {
  if (amount < 0n) {
    throw new AppError('INVARIANT', { message: 'a stored amount is never negative' });
  }
  return amount.toString();
}

/**
 * Formats micro-dollars as dollars with at least two places and no other trailing zeros: `0.25`,
 * `0.0125`.
 */
export function formatUsd(amount: bigint): string {
  const places = (amount % MICROS_PER_DOLLAR)
    .toString()
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${amount / MICROS_PER_DOLLAR}.${places}`;
}

/** Converts a stored amount to the form for callers. */
export function toMoney(text: MicroUsdText): Money {
  return { amount: formatUsd(BigInt(text)), currency: 'USD', micro_usd: text };
}

/** Returns `bps` basis points of an amount, rounded down. */
export function takeBasisPoints(amount: bigint, bps: number): MicroUsd {
  return ((amount * BigInt(bps)) / 10_000n) as MicroUsd;
}
