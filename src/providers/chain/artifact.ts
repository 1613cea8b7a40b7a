import { readFileSync } from 'node:fs';
import type { Abi, Hex } from 'viem';

/** A compiled contract, as `scripts/contracts.mjs` writes it. */
export interface ContractArtifact {
  readonly abi: Abi;
  /** Creation code. */
  readonly bytecode: Hex;
  /** SHA-256 over compiler, settings and sources. */
  readonly sourceHash: string;
}

/** Reads a committed artifact by its contract's name, such as `TestDollar`. */
export function readArtifact(name: string): ContractArtifact {
  const file = new URL(`../../../contracts/artifacts/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}
