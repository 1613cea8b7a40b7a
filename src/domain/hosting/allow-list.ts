import { AppError } from '../common/error.ts';
import type { AllowedRange } from './records.ts';

/** Maximum number of ranges in one allowlist. */
export const RANGES_MAX = 100;
const DESCRIPTION_CHARS_MAX = 255;
const V4_BITS = 32;
const V6_BITS = 128;

/** The default allowlist: only this machine may connect. */
export const LOOPBACK_RANGES: readonly AllowedRange[] = [
  { cidrBlock: '127.0.0.0/8', description: 'this machine' },
  { cidrBlock: '::1/128', description: 'this machine' },
];

/**
 * Validates the ranges of an allowlist. Addresses must be plain and end in a prefix length.
 *
 * @throws {AppError} `INPUT_INVALID` for a malformed range, or for too many ranges.
 */
export function validateRanges(ranges: readonly AllowedRange[]): readonly AllowedRange[] {
  if (ranges.length > RANGES_MAX) {
    throw invalidInput('ipAllowList', ranges.length, `at most ${RANGES_MAX} ranges`);
  }
  return ranges.map(({ cidrBlock, description }) => {
    if (!isCidrRange(cidrBlock)) {
      throw invalidInput('cidrBlock', cidrBlock.slice(0, 80), 'a CIDR range such as 10.1.0.0/16');
    }
    if (description.length > DESCRIPTION_CHARS_MAX) {
      const allowed = `at most ${DESCRIPTION_CHARS_MAX} characters`;
      throw invalidInput('description', description.length, allowed);
    }
    return { cidrBlock, description };
  });
}

function isCidrRange(cidrBlock: string): boolean {
  const [, address = '', bits = ''] =
    /^([\d.]{7,15}|[\da-f:.]{2,45})\/(\d{1,3})$/i.exec(cidrBlock) ?? [];
  if (address.includes(':')) return isIpv6(address) && Number(bits) <= V6_BITS;
  return isIpv4(address) && Number(bits) <= V4_BITS;
}

/** Checks for four decimal numbers without leading zeros, which some parsers read as octal. */
function isIpv4(address: string): boolean {
  const parts = address.split('.');
  return (
    parts.length === 4 &&
    parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  );
}

function isIpv6(address: string): boolean {
  try {
    return new URL(`http://[${address}]/`).hostname !== '';
  } catch {
    return false;
  }
}

function invalidInput(path: string, received: unknown, allowed: string): AppError {
  const message = `${path}: received ${JSON.stringify(received)}, allowed: ${allowed}`;
  return new AppError('INPUT_INVALID', { message, data: { path, received, allowed } });
}
