import { z } from 'zod';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { READ_ONLY_HINTS } from '../service/annotations.ts';

const Output = z.object({
  status: z.literal('retired'),
  code: z.literal('TOOL_RETIRED'),
  charged: z.literal(false),
  contract: z.object({
    address: z.string(),
    chain_id: z.int(),
    markets: z.string(),
    /** Block at which the markets were counted. */
    block: z.int(),
  }),
  message: z.string(),
});

/** Dependencies of the tool. */
export interface PredictionDeps {
  readonly trust: Pick<TrustChain, 'contracts' | 'readMarketCount'>;
  readonly chainId: number;
}

/** Creates the retired tool `prediction_platform`, which only reports that it is retired. */
export function predictionTool(deps: PredictionDeps): Tool<Record<string, unknown>> {
  return {
    server: 'commerce',
    name: 'prediction_platform',
    title: 'Prediction platform (retired)',
    description:
      'RETIRED. Accepts no predictions and has no markets. Returns a retirement notice and the ' +
      'number of markets, read live from its contract. Free.',
    annotations: READ_ONLY_HINTS,
    input: z.record(z.string(), z.unknown()),
    output: Output,
    run: () => run(deps),
  };
}

async function run({ trust, chainId }: PredictionDeps): Promise<ToolResult> {
  const { count, block } = await trust.readMarketCount();
  const address = trust.contracts.prediction ?? '';
  const message = 'prediction_platform is retired; you are not charged.';
  return {
    content: [
      { type: 'text', text: `${message}\nMarkets in ${address}: ${count} (block ${block}).` },
    ],
    structuredContent: {
      status: 'retired',
      code: 'TOOL_RETIRED',
      charged: false,
      contract: { address, chain_id: chainId, markets: count, block },
      message,
    },
  };
}
