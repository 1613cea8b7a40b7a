import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import type { TrustContracts } from '../../../domain/chain/trust-chain.ts';
import type { ReceiptPatience } from '../../payment/receipts.ts';
import { type ChainAccounts, localAccounts } from '../accounts.ts';
import { type ChainRpc, openRpc } from '../chain-rpc.ts';
import { type Fees, freeFees } from '../fees.ts';
import { type Finality, nothingUndone } from '../finality.ts';
import { historyAnswers } from '../history/answer-history.ts';
import { type HistoryServer, serveHistory } from '../history/history-server.ts';
import { levelLogs } from '../history/keep-logs.ts';
import { openLogArchive } from '../history/log-archive.ts';
import { openRelayer, type Relayer } from '../relayer.ts';
import { type ContractAddresses, deployMissing } from '../trust/deploy.ts';
import { type GasMeter, openGasMeter } from '../trust/gas-meter.ts';
import type { Unstick } from '../unstick.ts';
import { type Anvil, startAnvil } from './anvil.ts';
import { anvilBinary } from './anvil-binary.ts';
import { openChainState, STATE_TIMEOUT_MS } from './chain-state.ts';
import { keepSaving } from './keep-saving.ts';
import {
  keepLocalRecord,
  LOCAL_CHAIN_ID,
  readLocalRecord,
  recordedAddresses,
} from './local-record.ts';
import { openRawArchive, type RawArchive } from './raw-archive.ts';
import { openRawJournal, type RawJournal } from './raw-journal.ts';
import { replayMissing } from './replay.ts';
import { takeOver } from './take-over.ts';

/** Options of the embedded chain in a data directory. */
export interface LocalChainOptions {
  readonly dataDir: string;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
  /** Receives messages for the operator. */
  readonly notice: (line: string) => void;
  /** Transactions after which old blocks are pruned. Default: `CHECKPOINT_ROWS`. */
  readonly checkpointRows?: number;
}

/** A chain that accepts transactions of this server. */
export interface OpenChain {
  readonly chainId: number;
  readonly rpcUrl: string;
  /** URL that serves the logs of all blocks of an embedded chain, including pruned ones. */
  readonly historyUrl?: string;
  /** Id that changes when an embedded chain is started anew. */
  readonly born?: string;
  readonly token: Hex;
  /** Addresses of the trust contracts. */
  readonly contracts: TrustContracts;
  readonly accounts: ChainAccounts;
  readonly rpc: ChainRpc;
  readonly relayer: Relayer;
  readonly journal: RawJournal;
  /** Old transactions that an embedded node has pruned. */
  readonly archive?: RawArchive;
  /** Process id of the node, if it is a child of this process. */
  readonly nodePid: () => number | undefined;
  readonly patience: ReceiptPatience;
  /** Blocks that a settlement must have, its own included, before anything is delivered for it. */
  readonly confirmations: number;
  readonly isLocal: boolean;
  readonly fees: () => Promise<Fees>;
  readonly gas: GasMeter;
  /** Price of the coin that pays for gas, in whole dollars. */
  readonly gasCoinUsd: number;
  /** Re-checks transactions that were reported as final. */
  readonly finality: Finality;
  /** Replaces an operator transaction that blocks others, at a higher fee. */
  readonly unstick: Unstick;
  /** The first block that can hold a log of our contracts. */
  readonly firstBlock: number;
  /** Sets the first block whose logs are still needed, so that an embedded node keeps them. */
  readonly keepFrom: (block: number | undefined) => void;
  close(): Promise<void>;
}

const RPC_TIMEOUT_MS = 10_000;
/** Transactions after which old blocks are pruned from the node and its saved state. */
export const CHECKPOINT_ROWS = 1_000;
const DEPLOY_GAS = 5_000_000n;
const RECEIPT = { everyMs: 20, totalMs: 10_000 };

/**
 * Opens the chain of a data directory. Starts the node as a child, loads its saved state, replays
 * the transactions that the state lacks, and deploys the contracts on the first start.
 *
 * @throws {AppError} `NOT_CONFIGURED` without the node's binary, `CONFIG_INVALID` when the
 *   directory does not belong to this chain, `CHAIN_UNAVAILABLE` when the node does not start
 */
export async function openLocalChain(options: LocalChainOptions): Promise<OpenChain> {
  const binary = anvilBinary();
  const kept = openKept(options);
  const { folder, accounts, state, journal, archive, logs, recordFile, record } = kept;
  await takeOver(recordFile, binary, state);

  let relayer: Relayer | undefined;
  const replay = replayOf(kept, options.now);
  const anvil = await startAnvil({
    ...{ binary, recordFile, chainId: LOCAL_CHAIN_ID, notice: options.notice },
    ...(record === undefined ? {} : { port: record.port }),
    prepare: async (rpcUrl) => {
      const rpc = openRpc(rpcUrl, STATE_TIMEOUT_MS);
      await state.load(rpc);
      const replayed = await replay(rpc);
      if (replayed > 0) options.notice(`the chain replayed ${replayed} stored transaction(s)`);
      relayer?.forgetNonce();
    },
  });
  const rpc = openRpc(anvil.rpcUrl, RPC_TIMEOUT_MS, anvil.ready);
  const parts = { rpc, journal, operator: accounts.operator };
  relayer = openRelayer({
    ...{ ...parts, chainId: LOCAL_CHAIN_ID, fees: freeFees, now: options.now },
    isOwnNode: true,
  });
  let history: HistoryServer | undefined;
  try {
    const known = recordedAddresses(record);
    const deploying = { rpc, relayer, accounts, patience: RECEIPT, gas: DEPLOY_GAS };
    const { token = '0x', ...contracts } = await deployMissing(deploying, known);
    const found = { record, chainId: LOCAL_CHAIN_ID, port: anvil.port };
    const born = await keepLocalRecord(rpc, folder, {
      ...found,
      addresses: { token, ...contracts },
    });
    let neededFrom: number | undefined;
    const stop = keepSaving({
      rpc: openRpc(anvil.rpcUrl, STATE_TIMEOUT_MS, anvil.ready),
      ...{ relayer, state, journal, archive, logs, anvil },
      ...{ now: options.now, notice: options.notice },
      ...{ replay, sender: accounts.operator.address },
      neededFrom: () => neededFrom,
      checkpointRows: options.checkpointRows ?? CHECKPOINT_ROWS,
    });
    const served = await serveHistory(historyAnswers(rpc, logs));
    history = served;
    const close = async () => closeAll({ anvil, journal, stop, history: served });
    return {
      ...{ chainId: LOCAL_CHAIN_ID, rpcUrl: anvil.rpcUrl, token, accounts, rpc, relayer },
      ...{ journal, archive, close, fees: freeFees, contracts: contractsOf(contracts) },
      historyUrl: served.url,
      born,
      gas: openGasMeter({ now: options.now, budget: undefined, file: join(folder, 'gas.jsonl') }),
      ...{ firstBlock: 0, unstick: nothingWaits, gasCoinUsd: 0, finality: nothingUndone },
      keepFrom: (block) => {
        neededFrom = block;
      },
      nodePid: anvil.pid,
      patience: RECEIPT,
      // There is one node, and transactions that it drops are sent again.
      confirmations: 1,
      isLocal: true,
    };
  } catch (cause) {
    await history?.close();
    await anvil.close();
    journal.close();
    throw cause;
  }
}

type Kept = ReturnType<typeof openKept>;

/** Opens the chain files of a data directory. */
function openKept({ dataDir, notice }: LocalChainOptions) {
  const folder = join(dataDir, 'chain');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    folder,
    accounts: localAccounts(folder),
    state: openChainState(join(folder, 'state.gz'), notice),
    journal: openRawJournal(join(folder, 'raw.jsonl')),
    archive: openRawArchive(join(folder, 'archive')),
    logs: openLogArchive(join(folder, 'logs')),
    recordFile: join(folder, 'anvil.json'),
    record: readLocalRecord(folder, LOCAL_CHAIN_ID),
  };
}

/** Creates the function that replays what a node lacks. It returns how many were sent. */
function replayOf({ accounts, archive, journal, logs }: Kept, now: LocalChainOptions['now']) {
  return async (rpc: ChainRpc): Promise<number> => {
    const sent = await replayMissing({
      ...{ rpc, sender: accounts.operator.address, now },
      // The archive is needed when an older copy of the state was restored.
      kept: (nonce) => [...archive.from(nonce), ...journal.rows()],
    });
    await levelLogs(rpc, logs);
    return sent;
  };
}

/** Does nothing: every transaction gets its own block at once. */
const nothingWaits: Unstick = async () => undefined;

/** Returns the contract addresses, with `null` where there is no contract. */
export function contractsOf(addresses: ContractAddresses): TrustContracts {
  const { identity, reputation, validation, escrow, anchor, prediction } = addresses;
  return {
    ...{ identity: identity ?? null, reputation: reputation ?? null },
    ...{ validation: validation ?? null, escrow: escrow ?? null },
    ...{ anchor: anchor ?? null, prediction: prediction ?? null },
  };
}

async function closeAll(parts: {
  readonly anvil: Anvil;
  readonly journal: RawJournal;
  readonly stop: () => Promise<void>;
  readonly history: HistoryServer;
}): Promise<void> {
  await parts.history.close();
  await parts.stop();
  await parts.anvil.close();
  parts.journal.close();
}
