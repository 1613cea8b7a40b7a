import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, test } from 'vitest';
import { answerTurns } from '../../src/connect/tour/agent.ts';
import { DebateState } from '../../src/domain/debate/result.ts';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { ENGINES } from '../support/engines.ts';
import { createPayer } from '../support/payer.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  fund,
  inBandPayment,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

const DEBATE = 'deliberation_multi-agent-debate';
const QUESTION = {
  question: 'Which queue should the new service use?',
  options: ['an embedded log', 'a broker of its own', 'the database that is there'],
  seats_by: 'caller',
  max_rounds: 0,
  wait_s: 0,
};

afterAll(cleanUp);

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: 'e2e', version: '1' }, {});
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

async function challengeOf(client: Client): Promise<PaymentRequired> {
  const answer = await client.callTool({ name: DEBATE, arguments: QUESTION });
  expect(answer.isError).toBe(true);
  return PaymentRequired.parse(answer.structuredContent);
}

async function read(client: Client, args: object): Promise<DebateState> {
  const answer = await client.callTool({ name: 'get_result', arguments: { ...args } });
  return DebateState.parse(answer.structuredContent);
}

async function finish(client: Client, begun: DebateState): Promise<DebateState> {
  let state = begun;
  while (state.needs_turns !== undefined || state.status === 'working') {
    const turns = answerTurns(state);
    const more = turns.length === 0 ? { wait_s: 5 } : { turns };
    state = await read(client, { job_id: state.job_id, ...more });
  }
  return state;
}

describe.each(ENGINES)('through the %s engine', (engine) => {
  test('a paid debate survives kill -9, is charged once, and its payment brings it back', {
    timeout: 240_000,
  }, async () => {
    const dataDir = freshDataDir();
    const payer = createPayer();
    let server: RealServer = await startRealServer(dataDir, ['--http', engine]);
    expect(server.ready.http_engine).toBe(engine);
    await fund(server, payer.address, '10');

    const first = await connect(server.ready.mcp_v2);
    const payment = await inBandPayment(payer, await challengeOf(first));
    const paid = { name: DEBATE, arguments: QUESTION, _meta: payment };
    const bought = DebateState.parse((await first.callTool(paid)).structuredContent);
    expect(bought.status).toBe('needs_turns');
    const some = answerTurns(bought).slice(0, 3);
    await read(first, { job_id: bought.job_id, turns: some });
    await server.kill();

    server = await startRealServer(dataDir, ['--http', engine]);
    const second = await connect(server.ready.mcp_v2);
    const again = DebateState.parse((await second.callTool(paid)).structuredContent);
    expect(again.job_id).toBe(bought.job_id);
    expect(again.turns_done).toBe(3);
    const ended = await finish(second, again);
    expect(ended.status).toBe('decided');
    expect(ended.result?.winner?.name).toBe('a broker of its own');
    expect(await balanceOf(server, payer.address)).toBe(8_000_000n);
    expect(await expectBooksBalanced(server)).toMatchObject({ in: 2_000_000n, kept: 2_000_000n });
    await second.close();
    expect(await server.stop()).toBe(0);
  });
});

test('a cancelled debate gives the unspent part back on chain', { timeout: 120_000 }, async () => {
  const server = await startRealServer(freshDataDir());
  const payer = createPayer();
  await fund(server, payer.address, '2');
  const client = await connect(server.ready.mcp_v2);
  const payment = await inBandPayment(payer, await challengeOf(client));
  const answer = await client.callTool({ name: DEBATE, arguments: QUESTION, _meta: payment });
  const { job_id } = DebateState.parse(answer.structuredContent);
  expect(await balanceOf(server, payer.address)).toBe(0n);
  await read(client, { job_id, cancel: true });
  await expect.poll(() => balanceOf(server, payer.address), { timeout: 20_000 }).toBe(2_000_000n);
  expect((await read(client, { job_id })).status).toBe('cancelled');
  expect(await expectBooksBalanced(server)).toMatchObject({ in: 2_000_000n, refunded: 2_000_000n });
  await client.close();
  await server.stop();
});

test('a payer without money is refused and nothing is started', { timeout: 120_000 }, async () => {
  const server = await startRealServer(freshDataDir());
  const client = await connect(server.ready.mcp_v2);
  const payment = await inBandPayment(createPayer(), await challengeOf(client));
  const answer = await client.callTool({ name: DEBATE, arguments: QUESTION, _meta: payment });
  expect(answer.isError).toBe(true);
  expect(answer.structuredContent).toMatchObject({ code: 'PAYMENT_FUNDS' });
  await client.close();
  await server.stop();
});
