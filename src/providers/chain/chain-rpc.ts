import { setTimeout as sleep } from 'node:timers/promises';
import type { Abi, Hex } from 'viem';
import { decodeErrorResult } from 'viem/utils';
import { AppError } from '../../domain/common/error.ts';
import { createBatchedCalls, type RpcReply } from './rpc-batch.ts';

/** A node that answers JSON-RPC. Calls made in the same tick share one request. */
export interface ChainRpc {
  /**
   * Calls a method and returns its result.
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE` when there is no answer, or the answer is an error
   */
  call<Result>(method: string, params: readonly unknown[]): Promise<Result>;
  /**
   * Calls a method and returns an error answer as a value.
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE` when there is no answer
   */
  ask<Result>(method: string, params: readonly unknown[]): Promise<RpcAnswer<Result>>;
}

/** The answer of a node: a result or an error. */
export type RpcAnswer<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly refusal: RpcRefusal };

/** An error answer from the node itself, which proves that the call arrived. */
export interface RpcRefusal {
  /** JSON-RPC error code, if the node gave one. */
  readonly code?: number;
  readonly message: string;
  /** Revert data, if a contract reverted. */
  readonly data: Hex | undefined;
}

const EXIT_NOTICE_MS = 100;
/**
 * The error of a node that keeps no old states when a new block arrives between the question and
 * the answer. Asking again is safe: nothing was done.
 */
const STATE_PRUNED = /^BlockOutOfRangeError/;
const STATE_PRUNED_TRIES = 50;

/**
 * Creates a JSON-RPC client. Nothing is sent yet.
 *
 * @param timeoutMs - Bounds each request.
 * @param whenRevived - Resolves when the node serves again. A request without an answer is then
 *   repeated once.
 */
export function connectRpc(
  rpcUrl: string,
  timeoutMs: number,
  whenRevived?: () => Promise<void>,
): ChainRpc {
  const send = createBatchedCalls(rpcUrl, timeoutMs);
  const sendOnce = async <Result>(
    method: string,
    params: readonly unknown[],
    tries = 1,
  ): Promise<RpcAnswer<Result>> => {
    const { error, result } = await send({ method, params }).catch((cause: unknown) => {
      throw new AppError('CHAIN_UNAVAILABLE', { cause });
    });
    if (error !== undefined && STATE_PRUNED.test(error.message) && tries < STATE_PRUNED_TRIES) {
      return sendOnce<Result>(method, params, tries + 1);
    }
    if (error !== undefined) return { ok: false, refusal: toRefusal(error) } as const;
    return { ok: true, result: result as Result } as const;
  };
  const ask = async <Result>(method: string, params: readonly unknown[]) => {
    if (whenRevived === undefined) return sendOnce<Result>(method, params);
    await whenRevived();
    try {
      return await sendOnce<Result>(method, params);
    } catch {
      // Long enough to notice that a child exited, so that `revived` waits for the next one.
      await sleep(EXIT_NOTICE_MS);
      await whenRevived();
      return sendOnce<Result>(method, params);
    }
  };
  return {
    ask,
    call: async <Result>(method: string, params: readonly unknown[]) => {
      const answer = await ask<Result>(method, params);
      if (answer.ok) return answer.result;
      throw new AppError('CHAIN_UNAVAILABLE', {
        message: 'The chain node rejected a call.',
        data: { method, answer: answer.refusal.message },
      });
    },
  };
}

/** Returns the name of the contract error in an error answer, or else its message. */
export function revertReason(refusal: RpcRefusal, abi: Abi): string {
  if (refusal.data === undefined || refusal.data === '0x') return refusal.message;
  try {
    const { errorName, args } = decodeErrorResult({ abi, data: refusal.data });
    return errorName === 'Error' ? String(args?.[0]) : errorName;
  } catch {
    return refusal.message;
  }
}

function toRefusal({ code, message, data }: NonNullable<RpcReply['error']>): RpcRefusal {
  const text = message.slice(0, MESSAGE_CHARS_MAX);
  return { message: text, data: revertDataOf(data), ...(typeof code === 'number' ? { code } : {}) };
}

/** Longest error message that is kept, in characters. */
const MESSAGE_CHARS_MAX = 1_000;
/** Revert data. Some nodes put a word before it. */
const REVERT_DATA = /^(?:Reverted )?(0x[0-9a-fA-F]*)$/;

function revertDataOf(data: unknown): Hex | undefined {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  const [, hex] = typeof inner === 'string' ? (REVERT_DATA.exec(inner) ?? []) : [];
  return hex as Hex | undefined;
}
