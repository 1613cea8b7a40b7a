import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { encodeDeployData, keccak256 } from 'viem/utils';
import { z } from 'zod';
import { AppError } from '../../domain/error.ts';
import { type ChainAccounts, localAccounts } from './accounts.ts';
import { type Anvil, startAnvil } from './anvil.ts';
import { anvilBinary } from './anvil-binary.ts';
import { readArtifact } from './artifact.ts';
import { type ChainRpc, openRpc } from './chain-rpc.ts';
import { openChainState, STATE_TIMEOUT_MS } from './chain-state.ts';
import { freeFees } from './fees.ts';
import { readJsonFile } from './json-file.ts';
import { keepSaving } from './keep-saving.ts';
import { openRawArchive, type RawArchive } from './raw-archive.ts';
import { openRawJournal, type RawJournal } from './raw-journal.ts';
import { awaitReceipt, hasSucceeded, type ReceiptPatience } from './receipts.ts';
import { openRelayer, type Relayer } from './relayer.ts';
import { replayMissing } from './replay.ts';
import { takeOver } from './take-over.ts';

/** A chain of our own in a data directory. */
export interface LocalChainOptions {
  readonly dataDir: string;
  /** Milliseconds. */
  readonly now: () => number;
  /** Told what an operator would want to know. */
  readonly notice: (line: string) => void;
  /** Transactions after which old blocks leave the node; `CHECKPOINT_ROWS` unless given. */
  readonly checkpointRows?: number;
}

/** A chain that transactions can be sent to. */
export interface OpenChain {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly token: Hex;
  readonly accounts: ChainAccounts;
  readonly rpc: ChainRpc;
  readonly relayer: Relayer;
  readonly journal: RawJournal;
  /** Old transactions, where the node is ours and forgets them. */
  readonly archive?: RawArchive;
  /** Process id of the node, where it is our child. */
  readonly nodePid: () => number | undefined;
  readonly patience: ReceiptPatience;
  /** Blocks that a settlement must have, its own included, before anything is given for it. */
  readonly confirmations: number;
  readonly isLocal: boolean;
  close(): Promise<void>;
}

const CHAIN_ID = 31_337;
const RPC_TIMEOUT_MS = 10_000;
/** Transactions after which old blocks leave the node and its saved state. */
export const CHECKPOINT_ROWS = 1_000;
const DEPLOY_GAS = 10_000_000n;
const RECEIPT = { everyMs: 20, totalMs: 10_000 };

const ChainRecord = z.object({
  chainId: z.literal(CHAIN_ID),
  port: z.number().int(),
  token: z.templateLiteral(['0x', z.string()]),
  tokenCodeHash: z.string(),
});
type ChainRecord = z.infer<typeof ChainRecord>;

/**
 * Opens the chain of a data directory: the node as a child, its kept state, what that state lacks
 * from the kept transactions, and on the first start the contracts.
 *
 * @throws {AppError} `NOT_CONFIGURED` without the node's binary, `CONFIG_INVALID` when the
 * directory does not belong to this chain, `CHAIN_UNAVAILABLE` when the node does not start
 */
export async function openLocalChain(options: LocalChainOptions): Promise<OpenChain> {
  const binary = anvilBinary();
  const folder = join(options.dataDir, 'chain');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const accounts = localAccounts(folder);
  const state = openChainState(join(folder, 'state.gz'), options.notice);
  const journal = openRawJournal(join(folder, 'raw.jsonl'));
  const archive = openRawArchive(join(folder, 'archive'));
  const recordFile = join(folder, 'anvil.json');
  const record = readRecord(folder);
  await takeOver(recordFile, binary, state);

  let relayer: Relayer | undefined;
  const replay = (rpc: ChainRpc) =>
    replayMissing({
      ...{ rpc, sender: accounts.operator.address, now: options.now },
      // The archive is needed where an older copy of the state was put back.
      kept: (nonce) => [...archive.from(nonce), ...journal.rows()],
    });
  const anvil = await startAnvil({
    ...{ binary, recordFile, chainId: CHAIN_ID, notice: options.notice },
    ...(record === undefined ? {} : { port: record.port }),
    prepare: async (rpcUrl) => {
      const rpc = openRpc(rpcUrl, STATE_TIMEOUT_MS);
      await state.load(rpc);
      const replayed = await replay(rpc);
      if (replayed > 0) options.notice(`the chain took ${replayed} kept transaction(s) again`);
      relayer?.forgetNonce();
    },
  });
  const rpc = openRpc(anvil.rpcUrl, RPC_TIMEOUT_MS, anvil.ready);
  const parts = { rpc, journal, operator: accounts.operator };
  relayer = openRelayer({ ...parts, chainId: CHAIN_ID, fees: freeFees, now: options.now });
  try {
    const token = record?.token ?? (await deployToken(relayer, rpc, accounts));
    await checkCode(rpc, folder, { record, token, port: anvil.port });
    const stop = keepSaving({
      rpc: openRpc(anvil.rpcUrl, STATE_TIMEOUT_MS, anvil.ready),
      ...{ relayer, state, journal, archive, anvil, now: options.now, notice: options.notice },
      ...{ replay, sender: accounts.operator.address },
      checkpointRows: options.checkpointRows ?? CHECKPOINT_ROWS,
    });
    const close = async () => closeAll({ anvil, journal, stop });
    return {
      ...{ chainId: CHAIN_ID, rpcUrl: anvil.rpcUrl, token, accounts, rpc, relayer },
      ...{ journal, archive, close },
      nodePid: anvil.pid,
      patience: RECEIPT,
      // There is one node, and what it drops is brought back.
      confirmations: 1,
      isLocal: true,
    };
  } catch (cause) {
    await anvil.close();
    journal.close();
    throw cause;
  }
}

async function deployToken(relayer: Relayer, rpc: ChainRpc, accounts: ChainAccounts): Promise<Hex> {
  const { abi, bytecode } = readArtifact('TestDollar');
  const data = encodeDeployData({ abi, bytecode, args: [accounts.operator.address] });
  const sent = await relayer.send({ data, gas: DEPLOY_GAS });
  const receipt = sent.state === 'sent' ? await awaitReceipt(rpc, sent.hash, RECEIPT) : undefined;
  if (receipt !== undefined && hasSucceeded(receipt) && receipt.contractAddress !== null) {
    return receipt.contractAddress;
  }
  throw new AppError('CHAIN_UNAVAILABLE', {
    message: 'The token could not be deployed on the local chain.',
    data: { broadcast: sent.state },
  });
}

interface CodeCheck {
  readonly record: ChainRecord | undefined;
  readonly token: Hex;
  readonly port: number;
}

async function checkCode(rpc: ChainRpc, folder: string, found: CodeCheck): Promise<void> {
  const { record, token, port } = found;
  const tokenCodeHash = keccak256(await rpc.call<Hex>('eth_getCode', [token, 'latest']));
  if (record !== undefined && record.tokenCodeHash !== tokenCodeHash) {
    throw new AppError('CONFIG_INVALID', {
      message:
        'The chain in the data directory is not the one that was used before. Restore the file ' +
        'chain/state.gz, or remove the whole folder chain/ to begin a new one.',
      data: { token },
    });
  }
  const file = join(folder, 'local.json');
  const text = JSON.stringify({ chainId: CHAIN_ID, port, token, tokenCodeHash });
  writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

async function closeAll(parts: {
  readonly anvil: Anvil;
  readonly journal: RawJournal;
  readonly stop: () => Promise<void>;
}): Promise<void> {
  await parts.stop();
  await parts.anvil.close();
  parts.journal.close();
}

function readRecord(folder: string): ChainRecord | undefined {
  const file = join(folder, 'local.json');
  if (!existsSync(file)) return undefined;
  const parsed = ChainRecord.safeParse(readJsonFile(file));
  if (parsed.success) return parsed.data;
  throw new AppError('CONFIG_INVALID', {
    message: 'The record of the local chain is damaged; restore the file chain/local.json.',
  });
}
