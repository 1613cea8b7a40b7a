import { joinPattern } from '../join-pattern.ts';

const INTERNAL_NAMES = /(?:^|\.)(?:localhost|local|internal|lan|home|test|invalid|example)$/i;
const INTERNAL_V4 = joinPattern(
  '',
  '^(?:0|10|127)\\.|^169\\.254\\.|^192\\.168\\.|^172\\.(?:1[6-9]|2\\d|',
  '3[01])\\.|^100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7])\\.',
);

/** Returns whether a host looks public: neither loopback nor in a private network. */
export function isPublicHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (bare.includes(':')) return /^[23]/.test(bare);
  if (/^[\d.]+$/.test(bare)) return !INTERNAL_V4.test(bare);
  return bare.includes('.') && !INTERNAL_NAMES.test(bare);
}
