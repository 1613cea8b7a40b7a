import { z } from 'zod';

/** Chains whose pools are read, by the names that callers use. */
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
/** See {@link ChainName}. */
export type ChainName = z.infer<typeof ChainName>;

/** A token: an address on a chain. A symbol is no identity, as anybody can give one to a token. */
export interface TokenPlace {
  readonly chain: ChainName;
  readonly address: string;
}

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SOLANA_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Whether a text can be an address on that chain. */
export function isAddressOn(chain: ChainName, address: string): boolean {
  return (chain === 'solana' ? SOLANA_ADDRESS : EVM_ADDRESS).test(address);
}

/** An address in the one way of writing that can be compared: letters of an EVM one say nothing. */
export function sameAddressText(chain: ChainName, address: string): string {
  return chain === 'solana' ? address : address.toLowerCase();
}

/** A token or pool in one text, such as `base:0x4200…`. */
export function placeText({ chain, address }: TokenPlace): string {
  return `${chain}:${sameAddressText(chain, address)}`;
}
