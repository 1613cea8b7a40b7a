import { AppError } from '../../domain/common/error.ts';
import type { ContractAddresses } from '../../providers/chain/trust/deploy.ts';
import { type NodePaymentChain, openPaymentChain } from '../../providers/payment/payment-chain.ts';
import type { ServerServices } from '../server/services.ts';
import { rejectLostChain } from './own-chain.ts';
import { claimChain } from './treasury.ts';

/**
 * Opens the configured chain, or else the embedded one, and claims it for this server.
 *
 * @throws {AppError} `NOT_CONFIGURED` without the operator's key; `CONFIG_INVALID`,
 * `TREASURY_SHARED`, `CHAIN_UNAVAILABLE`, `FACILITATOR_UNAVAILABLE`
 */
export async function openChain(
  services: Pick<ServerServices, 'clock' | 'closers' | 'config' | 'notice'>,
): Promise<NodePaymentChain> {
  const { closers, config, notice } = services;
  const chain = await openConfiguredChain(services);
  closers.add(() => chain.close());
  closers.add(await claimChain(config.dataDir, chain, { ...config, notice }));
  return chain;
}

async function openConfiguredChain({
  clock,
  config,
  notice,
}: Pick<ServerServices, 'clock' | 'config' | 'notice'>): Promise<NodePaymentChain> {
  const { dataDir, facilitator, rpc } = config;
  const { now } = clock;
  const settledBy = facilitator === undefined ? {} : { facilitator };
  if (rpc === undefined) {
    rejectLostChain(dataDir);
    return openPaymentChain({ kind: 'local', dataDir, now, notice, ...settledBy });
  }
  const operatorKey = config.secret('STOA_OPERATOR_KEY');
  if (operatorKey === undefined) {
    throw new AppError('NOT_CONFIGURED', {
      message: '`STOA_RPC_URL` also requires `STOA_OPERATOR_KEY` or `STOA_OPERATOR_KEY_FILE`.',
    });
  }
  return openPaymentChain({
    kind: 'rpc',
    rpcUrl: rpc.url,
    token: rpc.token,
    ...(rpc.confirmations === undefined ? {} : { confirmations: rpc.confirmations }),
    ...(rpc.gasBudgetWei === undefined ? {} : { gasBudgetWei: BigInt(rpc.gasBudgetWei) }),
    ...(rpc.gasCoinUsd === undefined ? {} : { gasCoinUsd: rpc.gasCoinUsd }),
    contracts: rpc.contracts as ContractAddresses,
    operatorKey,
    dataDir,
    now,
    notice,
    ...settledBy,
  });
}
