import { resolve } from 'node:path';
import { parseConfig } from '../../config.ts';
import { AppError } from '../../domain/common/error.ts';
import {
  type DeploymentResult,
  deployContracts,
} from '../../providers/chain/local/deploy-contracts.ts';
import type { ContractAddresses } from '../../providers/chain/trust/deploy.ts';
import { readFlags } from '../common/flags.ts';

const USAGE =
  'stoa contracts deploy [--json] [--data DIR], with STOA_RPC_URL, STOA_TOKEN_ADDRESS and ' +
  'STOA_OPERATOR_KEY set';

/**
 * `stoa contracts deploy [--json]`: deploys the contracts that are missing on the chain of
 * `STOA_RPC_URL`, with the operator's key, and prints the variables for all contracts.
 */
export async function contracts(argv: readonly string[]): Promise<number> {
  const [what, ...rest] = argv;
  if (what !== 'deploy') throw new AppError('CONFIG_INVALID', { message: USAGE });
  const { json, data } = readFlags(rest, {
    json: { type: 'boolean', default: false },
    data: { type: 'string', default: './data' },
  });
  const { rpc, secret } = parseConfig([], process.env);
  const operatorKey = secret('STOA_OPERATOR_KEY');
  if (rpc === undefined || operatorKey === undefined) {
    throw new AppError('NOT_CONFIGURED', { message: `Usage: ${USAGE}.` });
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
