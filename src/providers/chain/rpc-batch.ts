import { getHttpRpcClient } from 'viem/utils';
import { bufferResponse } from '../../domain/common/bounded-bytes.ts';
import { AppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';

/** A JSON-RPC call. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The answer of a node to one call: a result, or an error from the node itself. */
export interface RpcReply {
  readonly result?: unknown;
  readonly error?: {
    readonly code?: unknown;
    readonly message: string;
    readonly data?: unknown;
  };
}

interface PendingCall {
  readonly call: RpcCall;
  readonly resolve: (reply: RpcReply) => void;
  readonly reject: (cause: unknown) => void;
}

/** Most calls in one request. */
const BATCH_CALLS_MAX = 1_000;

/** Largest answer of a node, in bytes. One answer may cover many calls. */
export const RPC_ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Creates the function that sends calls to a node. Calls made in the same tick share one request,
 * which `timeoutMs` bounds. Nothing is repeated. It rejects when there is no answer.
 *
 * The batches of viem's `http` transport are not used: they pair answers with calls by position, so
 * one missing answer would give every later call the answer of another.
 */
export function createBatchedCalls(
  rpcUrl: string,
  timeoutMs: number,
): (call: RpcCall) => Promise<RpcReply> {
  const client = getHttpRpcClient(rpcUrl, {
    timeout: timeoutMs,
    fetchFn: async (input, init) => bufferResponse(await fetch(input, init), RPC_ANSWER_BYTES_MAX),
    maxResponseBodySize: RPC_ANSWER_BYTES_MAX,
  });
  let waiting: PendingCall[] = [];
  const send = (): void => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    const body = batch.map(({ call }, id) => ({ id, method: call.method, params: call.params }));
    client.request({ body }).then(
      (replies) => resolveCalls(batch, replies),
      (cause: unknown) => {
        for (const { reject } of batch) reject(cause);
      },
    );
  };
  return (call) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ call, resolve, reject });
      if (waiting.length >= BATCH_CALLS_MAX) send();
    });
}

/** Resolves each call with the answer that has its id. Nodes may answer in any order. */
function resolveCalls(batch: readonly PendingCall[], replies: unknown): void {
  const byId = new Map<unknown, RpcReply>();
  for (const reply of Array.isArray(replies) ? replies : []) {
    if (isObject(reply)) byId.set(reply['id'], reply);
  }
  for (const [id, { resolve, reject }] of batch.entries()) {
    const reply = byId.get(id);
    if (reply === undefined) reject(new AppError('CHAIN_UNAVAILABLE'));
    else resolve(reply);
  }
}
