import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Abi, Hex } from 'viem';
import { AppError } from '../../../domain/common/error.ts';

/** A compiled contract, as written by `scripts/contracts.mjs`. */
export interface ContractArtifact {
  readonly abi: Abi;
  /** Creation code. */
  readonly bytecode: Hex;
  /** SHA-256 over compiler, settings and sources. */
  readonly sourceHash: string;
}

/** Reads a committed artifact by contract name, such as `TestDollar`. */
export function readArtifact(name: string): ContractArtifact {
  return JSON.parse(readFileSync(join(findArtifactFolder(), `${name}.json`), 'utf8'));
}

/** Searches upwards from this file, because a build may bundle it into another folder. */
function findArtifactFolder(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const artifacts = join(folder, 'contracts', 'artifacts');
    if (existsSync(artifacts)) return artifacts;
  }
  throw new AppError('NOT_CONFIGURED', { message: 'The compiled contracts are not installed.' });
}
