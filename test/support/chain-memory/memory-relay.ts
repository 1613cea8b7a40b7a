import type { CallOutcome } from '../../../src/domain/chain/trust-chain.ts';
import { AppError, toAppError } from '../../../src/domain/common/error.ts';
import type { GasAccount } from '../../../src/providers/chain/trust/caller.ts';
import type { MemoryCall } from './memory-contracts.ts';
import type { MemoryTrustDeps, TrustFaults } from './memory-trust.ts';

/** Executes operator calls in memory and counts the gas that they would use. */
export type MemoryRelay = <Result>(
  gasFor: GasAccount,
  act: () => MemoryCall & { readonly result: Result },
) => Promise<CallOutcome<Result>>;

/** Approximate gas of a call on a real chain, by purpose. */
const MEMORY_GAS = {
  settlement: 80_000,
  contract_settlement: 80_000,
  refunds: 80_000,
  claims: 80_000,
  faucet: 60_000,
  escrow: 200_000,
  moves: 90_000,
  give_backs: 80_000,
  closings: 90_000,
  passports: 250_000,
  feedback: 250_000,
  anchors: 70_000,
  nonces: 25_000,
} as const;

/** Creates the relay of a chain. */
export function createMemoryRelay(
  { isDown, gas, ledger }: Pick<MemoryTrustDeps, 'isDown' | 'gas' | 'ledger'>,
  dial: TrustFaults,
): MemoryRelay {
  let sent = 0;
  return async (gasFor, act) => {
    if (isDown()) throw new AppError('CHAIN_UNAVAILABLE');
    const units = MEMORY_GAS[gasFor.purpose];
    sent += 1;
    const name = `call ${sent}`;
    const fault = gas.hold({ ...gasFor, name, gas: units, wei: 0n });
    if (fault !== undefined) return { state: 'refused', fault };
    const blockBefore = ledger.contracts.block;
    const outcome = executeWithFate(dial, act);
    // A call that made no block was rejected, or found, without a transaction.
    const used = ledger.contracts.block > blockBefore ? units : 0;
    gas.settle(name, { gas: used, wei: 0n, end: 'spent' });
    return outcome;
  };
}

function executeWithFate<Result>(
  dial: TrustFaults,
  act: () => MemoryCall & { readonly result: Result },
): CallOutcome<Result> {
  const fate = dial.fates.shift() ?? 'done';
  if (fate === 'lost') {
    return { state: 'unknown', transaction: null, detail: 'the chain does not answer' };
  }
  if (fate === 'refused') {
    const message = 'The chain rejected the call.';
    return { state: 'refused', fault: { code: 'SETTLEMENT_FAILED', message } };
  }
  try {
    const { transaction, block, result } = act();
    if (fate === 'done') return { state: 'done', transaction, block, result };
    return { state: 'unknown', transaction, detail: 'no receipt in time' };
  } catch (thrown) {
    const { code, message, data } = toAppError(thrown);
    return { state: 'refused', fault: { code, message, data } };
  }
}
