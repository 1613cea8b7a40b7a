import { z } from 'zod';
import { AppError } from './error.ts';

declare const microUsdBrand: unique symbol;

/** An amount in millionths of a dollar, for use inside a computation only. */
export type MicroUsd = bigint & { readonly [microUsdBrand]: true };

/** An amount at rest or on its way: whole micro-dollars as a decimal string. */
export const MicroUsdText = z.string().regex(/^(0|[1-9]\d{0,17})$/);

/** See {@link MicroUsdText}. */
export type MicroUsdText = z.infer<typeof MicroUsdText>;

/** An amount that stands in the code, told apart from words beside it. */
export type MicroUsdLiteral = `${bigint}`;

/** Money as callers see it; `micro_usd` is exact, `amount` is the same in dollars. */
export const Money = z.object({
  amount: z.string(),
  currency: z.literal('USD'),
  micro_usd: MicroUsdText,
});

/** See {@link Money}. */
export type Money = z.infer<typeof Money>;

const MICROS_PER_DOLLAR = 1_000_000n;
const DOLLARS = /^(\d{1,12})(?:\.(\d{1,6}))?$/;

/**
 * Parses dollars such as `0.25`.
 *
 * @throws {AppError} `INPUT_INVALID` for anything but a plain decimal with at most six places.
 */
export function microUsd(dollars: string): MicroUsd {
  const match = DOLLARS.exec(dollars);
  if (match === null) {
    throw new AppError('INPUT_INVALID', {
      message: 'An amount is a decimal string in dollars with at most six places.',
      data: { received: dollars, allowed: '0.25' },
    });
  }
  const [, whole = '0', places = ''] = match;
  return (BigInt(whole) * MICROS_PER_DOLLAR + BigInt(places.padEnd(6, '0'))) as MicroUsd;
}

/** Reads whole micro-dollars from their text at rest. */
export function fromText(text: MicroUsdText): MicroUsd {
  return BigInt(text) as MicroUsd;
}

/** Writes an amount as text at rest. Negative amounts do not exist there. */
export function toText(amount: bigint): MicroUsdText {
  if (amount < 0n) throw new AppError('INVARIANT', { message: 'money at rest is never negative' });
  return amount.toString();
}

/** Formats micro-dollars as dollars, at least two places, no needless zeros: `0.25`, `0.0125`. */
export function formatUsd(amount: bigint): string {
  const places = (amount % MICROS_PER_DOLLAR)
    .toString()
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${amount / MICROS_PER_DOLLAR}.${places}`;
}

/** Gives the caller's view of an amount at rest. */
export function money(text: MicroUsdText): Money {
  return { amount: formatUsd(BigInt(text)), currency: 'USD', micro_usd: text };
}

/** The part of an amount that `bps` basis points make, rounded down. */
export function basisPoints(amount: bigint, bps: number): MicroUsd {
  return ((amount * BigInt(bps)) / 10_000n) as MicroUsd;
}
