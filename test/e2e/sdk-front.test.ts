import { afterAll, expect, test } from 'vitest';
import { connectClient, createPayingWallet } from '../../src/connect/wallet/paying-client.ts';
import { DebateState } from '../../src/domain/debate/result.ts';
import { balanceOf, cleanUp, freshDataDir, fund, startRealServer } from '../support/real-server.ts';

afterAll(cleanUp);

test('with --front sdk a paying client buys a debate, streamed, and is charged once', {
  timeout: 120_000,
}, async () => {
  const server = await startRealServer(freshDataDir(), ['--front', 'sdk']);
  const { chain, mcp } = server.ready;
  const network = `eip155:${chain.id}` as const;
  const wallet = createPayingWallet({
    network,
    asset: chain.token,
    maxAmountPerPayment: '3000000',
  });
  await fund(server, wallet.address, '10');
  const client = await connectClient(mcp, wallet);
  const heard: string[] = [];
  const question = {
    question: 'Which one?',
    options: ['a', 'b'].map((name, at) => ({ name, scores: { cost: at, speed: at } })),
    criteria: [{ name: 'cost', higher_is_better: false }, { name: 'speed' }],
    wait_s: 20,
  };
  const answer = await client.callTool(
    { name: 'deliberation_multi-agent-debate', arguments: question },
    { onprogress: ({ message }) => heard.push(message ?? '') },
  );
  expect(answer.isError).not.toBe(true);
  const state = DebateState.parse(answer.structuredContent);
  expect(state.status).toBe('decided');
  expect(heard.length).toBeGreaterThan(3);
  expect(await balanceOf(server, wallet.address)).toBe(8_000_000n);
  await client.close();
  expect(await server.stop()).toBe(0);
});
