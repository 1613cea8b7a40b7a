import type { Hex } from 'viem';
import { toAppError } from '../../../domain/common/error.ts';
import type { ChainRpc } from '../chain-rpc.ts';
import type { LogArchive } from './log-archive.ts';
import { type BlockLog, createLogFilter, LogQuery } from './log-filter.ts';

/** A JSON-RPC call about the history of the chain. */
export interface HistoryCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The JSON-RPC answer: a result or an error. */
export type HistoryAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

/** Most logs in one answer. */
export const LOGS_MAX = 20_000;
/** How often a query is repeated if the node prunes blocks meanwhile. */
const TRIES_MAX = 5;
/** Read-only methods that are forwarded to the node. */
const FORWARDED_METHODS: ReadonlySet<string> = new Set([
  ...['eth_chainId', 'net_version', 'web3_clientVersion', 'eth_blockNumber', 'eth_call'],
  ...['eth_getBalance', 'eth_getCode', 'eth_getStorageAt', 'eth_getTransactionCount'],
  ...['eth_getBlockByNumber', 'eth_getBlockByHash', 'eth_getTransactionByHash'],
  'eth_getTransactionReceipt',
]);
/** Error codes of JSON-RPC, EIP-1474 and EIP-4444. */
const ERROR_CODES = {
  method: -32_601,
  params: -32_602,
  node: -32_603,
  limit: -32_005,
  pruned: 4_444,
};

/** Creates a handler that answers from the archive and the node together. It never throws. */
export function createHistoryHandler(
  rpc: ChainRpc,
  archive: LogArchive,
): (call: HistoryCall) => Promise<HistoryAnswer> {
  return async ({ method, params }) => {
    try {
      if (method === 'eth_getLogs') return await handleGetLogs(rpc, archive, params[0]);
      if (method === 'eth_capabilities') return await handleCapabilities(rpc, archive);
      if (FORWARDED_METHODS.has(method)) return await forward(rpc, { method, params });
      return errorAnswer('method', `${method.slice(0, 64)} is not supported: read-only server.`);
    } catch (thrown) {
      return errorAnswer('node', toAppError(thrown).message);
    }
  };
}

async function forward(rpc: ChainRpc, { method, params }: HistoryCall): Promise<HistoryAnswer> {
  const answer = await rpc.ask<unknown>(method, params);
  return answer.ok ? { result: answer.result } : errorAnswer('node', answer.refusal.message);
}

/** Returns the oldest block that has logs, in the form of `eth_capabilities`. */
async function handleCapabilities(rpc: ChainRpc, archive: LogArchive): Promise<HistoryAnswer> {
  const head = await rpc.call<{ readonly number: Hex; readonly hash: Hex }>(
    'eth_getBlockByNumber',
    ['latest', false],
  );
  const { number, hash } = head;
  return {
    result: { head: { number, hash }, logs: { disabled: false, oldestBlock: hex(archive.oldest) } },
  };
}

async function handleGetLogs(
  rpc: ChainRpc,
  archive: LogArchive,
  rawQuery: unknown,
): Promise<HistoryAnswer> {
  const query = LogQuery.safeParse(rawQuery ?? {});
  if (!query.success) return errorAnswer('params', 'The filter is not valid for eth_getLogs.');
  if (query.data.blockHash !== undefined && query.data.blockHash !== null) {
    return forward(rpc, { method: 'eth_getLogs', params: [query.data] });
  }
  for (let tries = 1; ; tries += 1) {
    const { span } = archive;
    const answer = await queryLogs(rpc, archive, query.data);
    // A checkpoint meanwhile pruned blocks from the node that this query expected there.
    if (archive.span?.to === span?.to || tries >= TRIES_MAX) return answer;
  }
}

async function queryLogs(
  rpc: ChainRpc,
  archive: LogArchive,
  query: LogQuery,
): Promise<HistoryAnswer> {
  const head = Number(await rpc.call<Hex>('eth_blockNumber', []));
  const [from, to] = [resolveBlock(query.fromBlock, head), resolveBlock(query.toBlock, head)];
  const { span } = archive;
  if (from > to) return errorAnswer('params', 'fromBlock is after toBlock.');
  if (from < archive.oldest) {
    return errorAnswer('pruned', `Logs start at block ${archive.oldest}.`);
  }
  const logs: BlockLog[] = [];
  if (span !== undefined && from <= span.to) {
    const archivedRange = { from, to: Math.min(to, span.to) };
    logs.push(...(await archive.read(archivedRange, createLogFilter(query), LOGS_MAX)));
  }
  const next = Math.max(from, (span?.to ?? -1) + 1);
  if (next <= to && logs.length <= LOGS_MAX) {
    const ask = { ...query, fromBlock: hex(next), toBlock: hex(to) };
    const answer = await rpc.ask<readonly BlockLog[]>('eth_getLogs', [ask]);
    if (!answer.ok) return errorAnswer('node', answer.refusal.message);
    logs.push(...answer.result);
  }
  if (logs.length > LOGS_MAX)
    return errorAnswer('limit', `Over ${LOGS_MAX} logs. Narrow the filter.`);
  return { result: logs };
}

function resolveBlock(block: string | null | undefined, head: number): number {
  if (block === 'earliest') return 0;
  return block?.startsWith('0x') === true ? Number(block) : head;
}

function errorAnswer(why: keyof typeof ERROR_CODES, message: string): HistoryAnswer {
  return { error: { code: ERROR_CODES[why], message } };
}

function hex(block: number): Hex {
  return `0x${block.toString(16)}`;
}
