import { createServer } from 'node:net';
import { AppError } from '../../domain/common/error.ts';
import type { ChainFacts } from '../../domain/payment/payment-chain.ts';
import type { NodePaymentChain } from '../../providers/payment/payment-chain.ts';
import { kernelName } from '../../store/common/folder-lock.ts';
import { isInUse } from '../server/data-lock.ts';
import type { Acceptance } from '../server/directory.ts';
import { rejectOtherChain } from './own-chain.ts';

/**
 * Claims the chain of a data directory for this server. It must match the stores, and no other
 * server may use it. Called before the proof log is opened, as a restored directory gets a new log
 * name.
 *
 * @returns A function that releases the claim.
 * @throws {AppError} `CONFIG_INVALID`, `TREASURY_SHARED`, `CHAIN_UNAVAILABLE`
 */
export async function claimChain(
  dataDir: string,
  chain: Pick<NodePaymentChain, 'facts' | 'standing'>,
  acceptance: Acceptance,
): Promise<() => Promise<void>> {
  await rejectOtherChain(dataDir, chain, acceptance);
  return lockTreasury(chain.facts);
}

/**
 * Locks a treasury on an external chain against other servers on this machine. The kernel releases
 * the lock when the process exits. Servers on other machines are detected on the chain.
 *
 * @returns A function that releases the lock.
 * @throws {AppError} `TREASURY_SHARED`
 */
export async function lockTreasury(
  facts: Pick<ChainFacts, 'chainId' | 'treasury' | 'isLocal'>,
): Promise<() => Promise<void>> {
  const { chainId, treasury, isLocal } = facts;
  const name = kernelName(`treasury ${chainId} ${treasury.toLowerCase()}`);
  if (isLocal || name === undefined) return async () => undefined;
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((done, fail) => {
    server.once('error', (cause) => fail(isInUse(cause) ? sharedTreasuryError(treasury) : cause));
    server.listen(name, done);
  });
  return () => new Promise((done) => server.close(() => done()));
}

function sharedTreasuryError(treasury: string): AppError {
  return new AppError('TREASURY_SHARED', {
    message:
      'Another server on this machine uses the same treasury. Stop it, or give this one its own ' +
      'key: two servers would answer for each other’s payments. Nothing was sold.',
    data: { received: treasury, allowed: 'one server per STOA_OPERATOR_KEY' },
  });
}
