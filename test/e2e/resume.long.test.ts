import { afterAll, describe, expect, test } from 'vitest';
import { expectBooksBalanced } from '../support/books.ts';
import { ENGINES } from '../support/engines.ts';
import { deafSocket, pause } from '../support/front-process.ts';
import { startLlmDouble } from '../support/llm-double.ts';
import { createPayer } from '../support/payer.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  fund,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';
import { type Carrier, StreamedCall } from '../support/streamed-call.ts';

const MODELS = ['openai:gpt-a', 'openai:llama-b', 'anthropic:claude-c', 'openai:qwen-d'];
const CALL = {
  name: 'deliberation_multi-agent-debate',
  arguments: {
    question: 'Which cache should the service use?',
    options: ['none', 'in process', 'a server of its own'],
    seats: 7,
    max_rounds: 1,
    wait_s: 120,
  },
};

afterAll(cleanUp);

const addressOf = ({ ready }: RealServer, carrier: Carrier) =>
  carrier === 'header' ? ready.mcp_v1 : ready.mcp_v2;

function expectWhole(call: StreamedCall): void {
  const ids = call.events.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...call.progress].sort((a, b) => a - b)).toEqual(call.progress);
  expect(new Set(call.progress).size).toBe(call.progress.length);
  const answers = call.messages.filter(({ id }) => id === 'paid');
  expect(answers).toHaveLength(1);
  expect(answers[0]).toBe(answers.at(-1));
  expect(answers[0]?.result?.structuredContent).toMatchObject({ status: 'decided' });
  expect(call.messages.at(-1)?.id).toBe('paid');
}

/** Streams a paid panel, ends the server in its middle, and comes back to the next one. */
async function story(engine: string, carrier: Carrier, end: (server: RealServer) => Promise<void>) {
  const double = await startLlmDouble({ chunkMs: 120, chunkChars: 40 });
  const env = {
    STOA_LLM_MODELS: double.models(...MODELS),
    STOA_LLM_PRICES: double.prices(...MODELS),
  };
  const dataDir = freshDataDir();
  let server = await startRealServer(dataDir, ['--http', engine], env);
  const payer = createPayer();
  await fund(server, payer.address, '10');
  const call = new StreamedCall(carrier);
  await call.open(addressOf(server, carrier));
  const answer = await call.buy(addressOf(server, carrier), payer, CALL);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const isUnderWay = (): boolean => call.progress.length >= 3;
  expect(await call.read(answer, isUnderWay)).toBe('enough');
  await end(server);
  expect(call.messages.every(({ id }) => id === undefined)).toBe(true);

  server = await startRealServer(dataDir, ['--http', engine], env);
  const rest = await call.resume(addressOf(server, carrier));
  expect(rest.status).toBe(200);
  expect(await call.read(rest)).toBe('ended');
  expectWhole(call);
  expect(await balanceOf(server, payer.address)).toBe(8_000_000n);
  expect((await expectBooksBalanced(server)).in).toBe(2_000_000n);
  const again = await call.resume(addressOf(server, carrier));
  expect(await call.read(again)).toBe('ended');
  expectWhole(call);
  expect(await server.stop()).toBe(0);
  await double.stop();
}

describe.each(ENGINES)('over %s', (engine) => {
  test.for(['header', 'meta'] as const)(
    'a paid stream that kill -9 cuts off is resumed and finished, paid in the %s',
    { timeout: 240_000 },
    async (carrier) => {
      await story(engine, carrier, (server) => server.kill());
    },
  );

  test('SIGTERM ends a paid stream cleanly, and the next server finishes it', {
    timeout: 240_000,
  }, async () => {
    await story(engine, 'header', async (server) => {
      expect(await server.stop()).toBe(0);
    });
  });
});

test('a second signal ends a server that is ending', { timeout: 60_000 }, async () => {
  const server = await startRealServer(freshDataDir());
  const { pid, base_url } = server.ready;
  // Half a request holds the end up for as long as open answers may take.
  const head = 'POST /v1/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{';
  const socket = deafSocket(Number(new URL(base_url).port), head);
  await pause(200);
  process.kill(pid, 'SIGTERM');
  process.kill(pid, 'SIGINT');
  await pause(1_000);
  expect(await server.stop()).toBe(1);
  socket.destroy();
});
