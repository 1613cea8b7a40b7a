import { afterAll, beforeAll, expect, test } from 'vitest';
import { DebateState } from '../../src/domain/debate/result.ts';
import { PAYMENT_META } from '../../src/domain/payment/payment.ts';
import { runCli } from '../cli/run-cli.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { connectProxy } from '../support/connect-proxy.ts';
import { connectCommand, freePort, spawnV1 } from '../support/connect-spawn.ts';
import { DEBATE, question } from '../support/connect-world.ts';
import { startLlmDouble } from '../support/llm-double.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

const MODELS = ['openai:gpt-a', 'openai:llama-b', 'anthropic:claude-c', 'openai:qwen-d'];

let server: RealServer;

beforeAll(async () => {
  server = await startRealServer(freshDataDir());
}, 120_000);
afterAll(cleanUp);

async function addressOf(dataDir: string): Promise<string> {
  return (await runCli(['connect', '--address', '--data', dataDir])).stdout.trim();
}

test('kill -9 between signing and the answer: the next bridge brings the same payment', {
  timeout: 120_000,
}, async () => {
  const proxy = await connectProxy(server.ready.mcp_v1);
  const line = await connectCommand(proxy.url, server.dataDir);
  const first = await spawnV1(line);
  proxy.fate = (request) => (JSON.stringify(request).includes(PAYMENT_META) ? 'hold' : 'pass');
  first.call(DEBATE, question('Held')).catch(() => undefined);
  await expect.poll(() => proxy.payments.length, { timeout: 30_000 }).toBe(1);
  process.kill(first.pid, 'SIGKILL');
  proxy.fate = () => 'pass';

  const second = await spawnV1(line);
  const status = await second.call('wallet_status', {});
  expect(status.structuredContent).toMatchObject({ spent_today: { amount: '2.00' } });
  const told = await second.call(DEBATE, question('Held'));
  expect(told.isError).toBeFalsy();
  expect(new Set(proxy.payments.map(({ payload }) => payload.signature)).size).toBe(1);
  expect(await balanceOf(server, await addressOf(server.dataDir))).toBe(18_000_000n);
  await second.close();
});

test('a server that restarts in the middle of a panel: one payment, and the whole answer', {
  timeout: 180_000,
}, async () => {
  const double = await startLlmDouble({ chunkMs: 60, chunkChars: 40 });
  const env = {
    STOA_LLM_MODELS: double.models(...MODELS),
    STOA_LLM_PRICES: double.prices(...MODELS),
  };
  const dataDir = freshDataDir();
  const port = ['--port', String(await freePort())];
  const before = await startRealServer(dataDir, port, env);
  const peer = await spawnV1(await connectCommand(before.ready.mcp_v1, dataDir));
  const running = peer.call(DEBATE, {
    question: 'Which cache?',
    options: ['none', 'in process', 'a server of its own'],
    seats: 5,
    max_rounds: 1,
    wait_s: 120,
  });
  const hasTurns = () => peer.progress.some((line) => / [1-9]\d*\/\d+ turns/.test(line));
  await expect.poll(hasTurns, { timeout: 60_000 }).toBe(true);
  await before.kill();
  const after = await startRealServer(dataDir, port, env);
  const told = await running;
  expect(told.isError).toBeFalsy();
  expect(DebateState.parse(told.structuredContent).status).toBe('decided');
  expect(told.content[0]?.text).toMatch(/^Decision: /);
  expect(await balanceOf(after, await addressOf(dataDir))).toBe(18_000_000n);
  expect((await expectBooksBalanced(after)).in).toBe(2_000_000n);
  await peer.close();
  await after.stop();
  await double.stop();
});
