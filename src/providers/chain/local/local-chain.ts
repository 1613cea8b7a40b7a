import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { localAccounts } from '../accounts.ts';
import type { ChainRpc } from '../chain-rpc.ts';
import { connectRpc } from '../chain-rpc.ts';
import { readFreeFees } from '../fees.ts';
import { noFinalityMonitor } from '../finality.ts';
import { reconcileArchive } from '../history/archive-logs.ts';
import { createHistoryHandler } from '../history/history-handler.ts';
import type { HistoryServer } from '../history/history-server.ts';
import { startHistoryServer } from '../history/history-server.ts';
import { openLogArchive } from '../history/log-archive.ts';
import type { OpenChain } from '../open-chain.ts';
import { toTrustContracts } from '../open-chain.ts';
import type { Relayer } from '../relayer.ts';
import { createRelayer } from '../relayer.ts';
import type { ReplaceStuck } from '../replace-stuck.ts';
import { deployMissing } from '../trust/deploy.ts';
import { openGasMeter } from '../trust/gas-meter.ts';
import type { Anvil } from './anvil.ts';
import { startAnvil, stopProcess } from './anvil.ts';
import { findAnvilBinary } from './anvil-binary.ts';
import type { AutoSaveDeps } from './auto-save.ts';
import { startAutoSave } from './auto-save.ts';
import type { ChainStateStore } from './chain-state.ts';
import { openChainState, STATE_TIMEOUT_MS } from './chain-state.ts';
import {
  addressesInRecord,
  LOCAL_CHAIN_ID,
  readLocalRecord,
  writeLocalRecord,
} from './local-record.ts';
import { deleteProcessRecord, findRecordedProcess } from './process-record.ts';
import { openRawArchive } from './raw-archive.ts';
import type { RawJournal } from './raw-journal.ts';
import { openRawJournal } from './raw-journal.ts';
import { replayMissing } from './replay.ts';

const LEFTOVER_TIMEOUT_MS = 2_000;

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
  const binary = findAnvilBinary();
  const files = openChainFiles(options);
  const { folder, accounts, state, journal, archive, logs, recordFile, record } = files;
  await stopLeftoverNode(recordFile, binary, state);

  let relayer: Relayer | undefined;
  const replay = createReplay(files, options.now);
  const anvil = await startAnvil({
    binary,
    recordFile,
    chainId: LOCAL_CHAIN_ID,
    notice: options.notice,
    ...(record === undefined ? {} : { port: record.port }),
    prepare: async (rpcUrl) => {
      const rpc = connectRpc(rpcUrl, STATE_TIMEOUT_MS);
      await state.load(rpc);
      const replayed = await replay(rpc);
      if (replayed > 0) options.notice(`the chain replayed ${replayed} stored transaction(s)`);
      relayer?.resetNonce();
    },
  });
  const rpc = connectRpc(anvil.rpcUrl, RPC_TIMEOUT_MS, anvil.ready);
  const sender = { rpc, journal, operator: accounts.operator, now: options.now };
  const own = { chainId: LOCAL_CHAIN_ID, fees: readFreeFees, isOwnNode: true };
  relayer = createRelayer({ ...sender, ...own });
  let history: HistoryServer | undefined;
  try {
    const known = addressesInRecord(record);
    const deployDeps = { rpc, relayer, accounts, patience: RECEIPT, gas: DEPLOY_GAS };
    const { token = '0x', ...contracts } = await deployMissing(deployDeps, known);
    const addresses = { token, ...contracts };
    const recordFacts = { record, chainId: LOCAL_CHAIN_ID, port: anvil.port, addresses };
    const born = await writeLocalRecord(rpc, folder, recordFacts);
    let neededFrom: number | undefined;
    const running = { relayer, anvil, replay, neededFrom: () => neededFrom };
    const stop = startSaving(files, options, running);
    const historyServer = await startHistoryServer(createHistoryHandler(rpc, logs));
    history = historyServer;
    const close = async () => closeAll({ anvil, journal, stop, history: historyServer });
    return {
      chainId: LOCAL_CHAIN_ID,
      rpcUrl: anvil.rpcUrl,
      token,
      accounts,
      rpc,
      relayer,
      journal,
      archive,
      close,
      fees: readFreeFees,
      contracts: toTrustContracts(contracts),
      historyUrl: historyServer.url,
      born,
      gas: openGasMeter({ now: options.now, budget: undefined, file: join(folder, 'gas.jsonl') }),
      ...SINGLE_NODE,
      keepFrom: (block) => {
        neededFrom = block;
      },
      nodePid: anvil.pid,
    };
  } catch (cause) {
    await history?.close();
    await anvil.close();
    journal.close();
    throw cause;
  }
}

function startSaving(
  files: ChainFiles,
  { now, notice, checkpointRows = CHECKPOINT_ROWS }: LocalChainOptions,
  running: Pick<AutoSaveDeps, 'relayer' | 'replay' | 'neededFrom'> & { readonly anvil: Anvil },
) {
  const { rpcUrl, ready } = running.anvil;
  return startAutoSave({
    ...files,
    ...running,
    rpc: connectRpc(rpcUrl, STATE_TIMEOUT_MS, ready),
    now,
    notice,
    checkpointRows,
    sender: files.accounts.operator.address,
  });
}

type ChainFiles = ReturnType<typeof openChainFiles>;

/** Opens the chain files of a data directory. */
function openChainFiles({ dataDir, notice }: LocalChainOptions) {
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
function createReplay(
  { accounts, archive, journal, logs }: ChainFiles,
  now: LocalChainOptions['now'],
) {
  return async (rpc: ChainRpc): Promise<number> => {
    const sent = await replayMissing({
      rpc,
      sender: accounts.operator.address,
      now,
      // The archive is needed when an older copy of the state was restored.
      kept: (nonce) => [...archive.from(nonce), ...journal.rows()],
    });
    await reconcileArchive(rpc, logs);
    return sent;
  };
}

/** Does nothing: every transaction gets its own block at once. */
const noUnstick: ReplaceStuck = async () => undefined;
const SINGLE_NODE = {
  firstBlock: 0,
  unstick: noUnstick,
  gasCoinUsd: 0,
  finality: noFinalityMonitor,
  patience: RECEIPT,
  // There is one node, and transactions that it drops are sent again.
  confirmations: 1,
  isLocal: true,
} as const;

async function closeAll(resources: {
  readonly anvil: Anvil;
  readonly journal: RawJournal;
  readonly stop: () => Promise<void>;
  readonly history: HistoryServer;
}): Promise<void> {
  await resources.history.close();
  await resources.stop();
  await resources.anvil.close();
  resources.journal.close();
}

/** Stops the node that a killed process left behind and saves the state that only it has. */
async function stopLeftoverNode(
  recordFile: string,
  binary: string,
  state: ChainStateStore,
): Promise<void> {
  const leftover = findRecordedProcess(recordFile, [binary]);
  if (leftover !== undefined) {
    // A node that was killed during its preparation has less state than the file.
    if (leftover.isReady) await saveStateFrom(leftover.port, state);
    await stopProcess(leftover.pid);
  }
  deleteProcessRecord(recordFile);
}

async function saveStateFrom(port: number, state: ChainStateStore): Promise<void> {
  try {
    await state.save(connectRpc(`http://127.0.0.1:${port}`, LEFTOVER_TIMEOUT_MS));
  } catch {
    // A node that hangs cannot return its state. Stored transactions replace it.
  }
}
