import type { Client } from '@modelcontextprotocol/client';
import { afterAll, expect, test } from 'vitest';
import { connectClient, createPayingWallet } from '../../src/connect/wallet/paying-client.ts';
import { DebateState } from '../../src/domain/debate/result.ts';
import { PAYMENT_RESPONSE_META } from '../../src/domain/payment/payment.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { startLlmDouble } from '../support/llm-double.ts';
import { balanceOf, cleanUp, freshDataDir, fund, startRealServer } from '../support/real-server.ts';

const MODELS = ['openai:gpt-a', 'openai:llama-b', 'anthropic:claude-c', 'openai:qwen-d'];
const DEBATE = 'deliberation_multi-agent-debate';
const QUESTION = {
  question: 'Which cache should the service use?',
  options: ['none', 'in process', 'a server of its own'],
  seats: 7,
  max_rounds: 1,
};

afterAll(cleanUp);

test('a paid debate of models streams its turns, and goes on after kill -9 with the same seats', {
  timeout: 240_000,
}, async () => {
  const double = await startLlmDouble({ chunkMs: 150, chunkChars: 40 });
  const env = {
    STOA_LLM_MODELS: double.models(...MODELS),
    STOA_LLM_PRICES: double.prices(...MODELS),
  };
  const dataDir = freshDataDir();
  let server = await startRealServer(dataDir, [], env);
  const wallet = createPayingWallet({
    network: `eip155:${server.ready.chain.id}`,
    asset: server.ready.chain.token,
    maxAmountPerPayment: '5000000',
  });
  await fund(server, wallet.address, '10');
  const lines: string[] = [];
  const client = await connectClient(server.ready.mcp_v1, wallet);
  const whole = await buy(client, { ...QUESTION, wait_s: 120 }, lines);
  const first = DebateState.parse(whole.structuredContent);
  expect(first.status).toBe('decided');
  expect(first.mode).toBe('llm');
  expect(first.families).toBe(4);
  expect(first.result?.seats.map(({ kind }) => kind)).toEqual(Array(7).fill('llm'));
  expect(BigInt(first.cost.spent.micro_usd)).toBeGreaterThan(0n);
  expect(BigInt(first.cost.spent.micro_usd)).toBeLessThan(BigInt(first.cost.price.micro_usd));
  expect(lines.length).toBeGreaterThanOrEqual(first.turns_done);
  expect(whole._meta?.[PAYMENT_RESPONSE_META]).toMatchObject({ success: true });

  const begun = await buy(client, { ...QUESTION, wait_s: 0 }, []);
  const { job_id } = DebateState.parse(begun.structuredContent);
  await expect
    .poll(async () => (await read(client, job_id, 0)).turns_done, { timeout: 30_000 })
    .toBeGreaterThan(0);
  await server.kill();
  const asked = double.turns.length;

  server = await startRealServer(dataDir, [], env);
  const after = await connectClient(server.ready.mcp_v1);
  let state = await read(after, job_id, 60);
  while (state.status === 'working') state = await read(after, job_id, 60);
  expect(state.status).toBe('decided');
  expect(state.result?.winner).toEqual(first.result?.winner);
  expect(state.result?.tally).toEqual(first.result?.tally);
  expect(double.turns.length).toBeGreaterThan(asked);
  expect(await balanceOf(server, wallet.address)).toBe(6_000_000n);
  expect((await expectBooksBalanced(server)).in).toBe(4_000_000n);
  await after.close();
  expect(await server.stop()).toBe(0);
  await double.stop();
});

async function buy(client: Client, args: object, lines: string[]) {
  return client.callTool(
    { name: DEBATE, arguments: { ...args } },
    {
      timeout: 60_000,
      resetTimeoutOnProgress: true,
      onprogress: ({ message }) => lines.push(message ?? ''),
    },
  );
}

async function read(client: Client, jobId: string, waitS: number): Promise<DebateState> {
  const answer = await client.callTool(
    { name: 'get_result', arguments: { job_id: jobId, wait_s: waitS } },
    { timeout: 90_000 },
  );
  return DebateState.parse(answer.structuredContent);
}
