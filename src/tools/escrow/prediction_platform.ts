import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { composeResult, formatCost } from '../../domain/tool/result-text.ts';
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

/** Creates the retired tool `prediction_platform`, which only reports that it is retired. */
export function predictionTool(
  deps: Pick<Services, 'chain' | 'trust'>,
): Tool<Record<string, unknown>> {
  return {
    server: 'commerce',
    name: 'prediction_platform',
    title: 'Prediction platform (retired)',
    description:
      'RETIRED. Accepts no predictions and has no markets. Returns a retirement notice and the ' +
      'number of markets, read live from its contract. Free.',
    summary:
      'RETIRED: accepts no predictions. Returns a notice and the number of markets from ' +
      'its contract.',
    example: {},
    annotations: READ_ONLY_HINTS,
    input: z.record(z.string(), z.unknown()),
    output: Output,
    run: () => run(deps),
  };
}

async function run({ chain, trust }: Pick<Services, 'chain' | 'trust'>): Promise<ToolResult> {
  const { count, block } = await trust.readMarketCount();
  const address = trust.contracts.prediction ?? '';
  const message = 'prediction_platform is retired; you are not charged.';
  const text = composeResult({
    answer: message,
    why: `no prediction is accepted any more. Markets in ${address}: ${count} (block ${block}).`,
    decidedBy: 'the operator of this service',
    cost: formatCost(undefined),
  });
  return {
    content: [{ type: 'text', text }],
    structuredContent: {
      status: 'retired',
      code: 'TOOL_RETIRED',
      charged: false,
      contract: { address, chain_id: chain.facts.chainId, markets: count, block },
      message,
    },
  };
}
