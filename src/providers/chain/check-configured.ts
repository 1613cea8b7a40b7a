import { checkWithRetries } from '../payment/check-setting.ts';
import { checkToken, type TokenFacts } from '../payment/check-token.ts';
import type { OpenChain } from './open-chain.ts';
import { checkContracts, contractSetting } from './trust/check-contracts.ts';
import type { ContractAddresses } from './trust/deploy.ts';

/**
 * Checks the configured contracts and token of a chain before anything is sold there. Otherwise a
 * wrong address would only surface after somebody has paid.
 *
 * @throws {AppError} `CONFIG_INVALID` with the setting, the address and what was found there;
 *   `CHAIN_UNAVAILABLE`
 */
export async function checkConfigured(
  chain: Pick<OpenChain, 'rpc' | 'chainId' | 'token' | 'accounts' | 'contracts' | 'isLocal'>,
  configuredAddresses: ContractAddresses,
): Promise<TokenFacts> {
  const { accounts, contracts, isLocal, rpc, chainId } = chain;
  const token = contractSetting('token', chain.token);
  return checkWithRetries(async () => {
    const { treasury } = accounts;
    const facts = await checkToken({ rpc, chainId, token, treasury, isLocal });
    await checkContracts(chain, contracts, configuredAddresses);
    return facts;
  });
}
