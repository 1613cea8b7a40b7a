import type { Abi, Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { AppError } from '../../../domain/common/error.ts';
import type { ChainRpc } from '../chain-rpc.ts';
import { classifyNodeError } from '../node-error.ts';

/** A view call to a contract. */
export interface ContractView {
  readonly to: Hex;
  readonly abi: Abi;
  readonly name: string;
  readonly args?: readonly unknown[];
}

/**
 * Calls a view function.
 *
 * @returns `undefined` when the contract reverts.
 * @throws {AppError} `CHAIN_UNAVAILABLE`, or `CONFIG_INVALID` when there is no contract
 */
export async function callView<Result>(
  rpc: ChainRpc,
  view: ContractView,
): Promise<Result | undefined> {
  const { to, abi, name, args = [] } = view;
  const data = encodeFunctionData({ abi, functionName: name, args });
  const answer = await rpc.ask<Hex>('eth_call', [{ to, data }, 'latest']);
  if (!answer.ok) {
    if (classifyNodeError(answer.refusal) === 'reverted') return undefined;
    throw new AppError('CHAIN_UNAVAILABLE', {
      message: 'The chain node rejected a call.',
      data: { asked: name, answer: answer.refusal.message },
    });
  }
  if (answer.result !== '0x') {
    return decodeFunctionResult({ abi, functionName: name, data: answer.result }) as Result;
  }
  throw new AppError('CONFIG_INVALID', {
    message: 'The address has no such contract.',
    data: { contract: to, asked: name },
  });
}

/** Works like `ask`, for view functions that never revert. */
export async function callRequiredView<Result>(rpc: ChainRpc, view: ContractView): Promise<Result> {
  const answer = await callView<Result>(rpc, view);
  if (answer !== undefined) return answer;
  throw new AppError('CONFIG_INVALID', {
    message: 'The address has a different contract than expected.',
    data: { contract: view.to, asked: view.name },
  });
}
