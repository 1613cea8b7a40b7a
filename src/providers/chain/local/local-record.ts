import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { keccak256 } from 'viem/utils';
import { z } from 'zod';
import { AppError } from '../../../domain/common/error.ts';
import type { ChainRpc } from '../chain-rpc.ts';
import type { ContractAddresses } from '../trust/deploy.ts';
import { readJsonFile } from './json-file.ts';

/** Chain id of every embedded chain. */
export const LOCAL_CHAIN_ID = 31_337;

const HexText = z.templateLiteral(['0x', z.string()]);
const Contract = z.object({ address: HexText, codeHash: z.string() });

const LocalRecord = z.object({
  chainId: z.number().int(),
  port: z.number().int(),
  /** Id that changes when a chain is started anew with the same keys. */
  born: z.string().optional(),
  token: HexText,
  tokenCodeHash: z.string(),
  /** The contracts other than the token. Absent in the record of an older server. */
  contracts: z.record(z.string(), Contract).optional(),
});
/** The stored facts of a local chain between starts. */
export type LocalRecord = z.infer<typeof LocalRecord>;

/**
 * Reads the record of a chain. Returns `undefined` before its first start.
 *
 * @throws {AppError} `CONFIG_INVALID` when it is damaged, or of another chain
 */
export function readLocalRecord(folder: string, chainId: number): LocalRecord | undefined {
  const file = join(folder, 'local.json');
  if (!existsSync(file)) return undefined;
  const parsed = LocalRecord.safeParse(readJsonFile(file));
  if (parsed.success && parsed.data.chainId === chainId) return parsed.data;
  throw new AppError('CONFIG_INVALID', {
    message: 'The record of the local chain is damaged; restore the file chain/local.json.',
  });
}

/** Returns the contract addresses in a record. */
export function addressesInRecord(record: LocalRecord | undefined): ContractAddresses {
  if (record === undefined) return {};
  const contracts = Object.entries(record.contracts ?? {});
  const others = contracts.map(([name, { address }]) => [name, address]);
  return { token: record.token, ...Object.fromEntries(others) };
}

/**
 * Compares the code on the chain with the record and rewrites the record.
 *
 * @returns The id that changes when a chain is started anew.
 * @throws {AppError} `CONFIG_INVALID` when a contract is not the one that was used before
 */
export async function writeLocalRecord(
  rpc: ChainRpc,
  folder: string,
  found: {
    readonly record: LocalRecord | undefined;
    readonly chainId: number;
    readonly port: number;
    readonly addresses: ContractAddresses & { readonly token: Hex };
  },
): Promise<string> {
  const { record, chainId, port, addresses } = found;
  const born = record?.born ?? randomUUID();
  const rows = await Promise.all(
    Object.entries(addresses).map(async ([name, address]) => {
      const codeHash = keccak256(await rpc.call<Hex>('eth_getCode', [address, 'latest']));
      const recordedHash =
        name === 'token' ? record?.tokenCodeHash : record?.contracts?.[name]?.codeHash;
      if (recordedHash !== undefined && recordedHash !== codeHash)
        throw wrongChainError(name, address);
      return [name, { address, codeHash }] as const;
    }),
  );
  const { token, ...contracts } = Object.fromEntries(rows);
  const identity = { chainId, port, born, token: addresses.token };
  const updated = { ...identity, tokenCodeHash: token?.codeHash, contracts };
  const file = join(folder, 'local.json');
  writeFileSync(`${file}.new`, `${JSON.stringify(updated)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return born;
}

function wrongChainError(contract: string, address: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message:
      'The chain in the data directory is not the one that was used before. Restore the file ' +
      'chain/state.gz, or start with an empty data directory.',
    data: { [contract]: address },
  });
}
