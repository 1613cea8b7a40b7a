import { z } from 'zod';

/** Supported chains, by the names that callers use. */
export const ChainName = z.enum([
  'ethereum',
  'base',
  'arbitrum',
  'optimism',
  'polygon',
  'bsc',
  'avalanche',
  'solana',
]);
/** The name of a supported chain. */
export type ChainName = z.infer<typeof ChainName>;

/** A token address on a chain. A symbol does not identify a token, because anyone can reuse it. */
export interface TokenAddress {
  readonly chain: ChainName;
  readonly address: string;
}

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SOLANA_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Checks whether a text is a well-formed address on a chain. */
export function isAddressOn(chain: ChainName, address: string): boolean {
  return (chain === 'solana' ? SOLANA_ADDRESS : EVM_ADDRESS).test(address);
}

/** Normalizes an address for comparison. EVM addresses ignore case. */
export function normalizeAddress(chain: ChainName, address: string): string {
  return chain === 'solana' ? address : address.toLowerCase();
}

/** Formats a token or pool address as one text, such as `base:0x4200…`. */
export function formatTokenAddress({ chain, address }: TokenAddress): string {
  return `${chain}:${normalizeAddress(chain, address)}`;
}
