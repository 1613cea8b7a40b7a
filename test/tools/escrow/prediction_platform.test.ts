import { expect, test } from 'vitest';
import { predictionTool } from '../../../src/tools/escrow/prediction_platform.ts';
import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';
import { toolContext } from '../../support/panel-world.ts';
import { refusalOf, textOf } from '../../support/tool-answers.ts';

const chain = createMemoryPaymentChain();
const { context } = toolContext();

function toolOver(over: object = {}) {
  return predictionTool({ chain, trust: { ...chain.trust, ...over } });
}

test('it says that it is retired, with the markets as the contract counts them now', async () => {
  const counts = ['0', '7'];
  const tool = toolOver({
    readMarketCount: async () => ({ count: counts.shift() ?? '', block: 12 }),
  });
  for (const markets of ['0', '7']) {
    const result = await tool.run({}, context);
    expect(tool.output.parse(result.structuredContent)).toMatchObject({
      status: 'retired',
      code: 'TOOL_RETIRED',
      charged: false,
      contract: { address: chain.trust.contracts.prediction, chain_id: 31_337, markets, block: 12 },
    });
    expect(result.isError).toBeUndefined();
    expect(textOf(result)).toContain(`: ${markets} (block 12).`);
  }
});

test('whatever it is asked, it takes no prediction and costs nothing', async () => {
  const tool = toolOver();
  expect(tool.price).toBeUndefined();
  expect(tool.annotations).toMatchObject({ readOnlyHint: true });
  for (const input of [{}, { market: 'any', stake_usd: '5' }, { action: 'create' }]) {
    const result = await tool.run(tool.input.parse(input), context);
    expect(result.structuredContent).toMatchObject({ charged: false, status: 'retired' });
  }
});

test('a chain that does not answer is told as such, not as no markets', async () => {
  const silent = createMemoryPaymentChain();
  silent.faults.isDown = true;
  const tool = predictionTool({ chain: silent, trust: silent.trust });
  expect((await refusalOf(() => tool.run({}, context))).code).toBe('CHAIN_UNAVAILABLE');
});
