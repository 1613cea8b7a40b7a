import { resolve } from 'node:path';
import { parseConfig } from '../../config.ts';
import { AppError } from '../../domain/common/error.ts';
import {
  type DeploymentResult,
  deployContracts,
} from '../../providers/chain/local/deploy-contracts.ts';
import type { ContractAddresses } from '../../providers/chain/trust/deploy.ts';
import type { Input } from '../common/usage.ts';
import type { OPERATE } from '../usage/operate.ts';

const MISSING =
  'Set STOA_RPC_URL, STOA_TOKEN_ADDRESS and STOA_OPERATOR_KEY. See `stoa help contracts deploy`.';

/**
 * `stoa contracts deploy`: deploys the contracts that are missing on the chain of
 * `STOA_RPC_URL`, with the operator's key, and prints the variables for all contracts.
 */
export async function deploy({
  json,
  data,
}: Input<typeof OPERATE.contractsDeploy>): Promise<number> {
  const { rpc, secret } = parseConfig([], process.env);
  const operatorKey = secret('STOA_OPERATOR_KEY');
  if (rpc === undefined || operatorKey === undefined) {
    throw new AppError('NOT_CONFIGURED', { message: MISSING });
  }
  const deployed = await deployContracts({
    rpcUrl: rpc.url,
    token: rpc.token,
    operatorKey,
    now: Date.now,
    contracts: rpc.contracts as ContractAddresses,
    dataDir: resolve(data),
  });
  process.stdout.write(json ? `${JSON.stringify(toJson(deployed))}\n` : toText(deployed));
  return 0;
}

function variables({ addresses }: DeploymentResult): Readonly<Record<string, string>> {
  const rows = Object.entries(addresses);
  return Object.fromEntries(rows.map(([name, at]) => [`STOA_${name.toUpperCase()}_ADDRESS`, at]));
}

function toJson(deployed: DeploymentResult) {
  const { chainId, fresh } = deployed;
  return { chain_id: chainId, deployed: fresh, variables: variables(deployed) };
}

function toText(deployed: DeploymentResult): string {
  const { chainId, fresh } = deployed;
  const head =
    fresh.length === 0
      ? `# Chain ${chainId} has all contracts; nothing was deployed.`
      : `# Deployed on chain ${chainId}: ${fresh.join(', ')}.`;
  const lines = Object.entries(variables(deployed)).map(([name, at]) => `${name}=${at}`);
  return `${[head, ...lines].join('\n')}\n`;
}
