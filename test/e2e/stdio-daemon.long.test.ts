import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, test } from 'vitest';
import { answerTurns } from '../../src/connect/tour/agent.ts';
import { DebateState } from '../../src/domain/debate/result.ts';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { isListening, localAddress } from '../../src/process/server/data-lock.ts';
import { readReady } from '../../src/process/server/ready-file.ts';
import { createPayer } from '../support/payer.ts';
import {
  balanceOf,
  cleanUp,
  cliPath,
  freshDataDir,
  fund,
  inBandPayment,
  startRealServer,
  until,
} from '../support/real-server.ts';

const DEBATE = 'deliberation_multi-agent-debate';
const QUESTION = {
  question: 'Where should the logs go?',
  options: ['a file', 'the store'],
  seats_by: 'caller',
  max_rounds: 0,
  wait_s: 0,
};

afterAll(cleanUp);

interface StdioPeer {
  readonly client: Client;
  readonly transport: StdioClientTransport;
}

async function connectStdio(dataDir: string): Promise<StdioPeer> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [await cliPath(), 'stdio', '--server', 'commerce', '--data', dataDir],
  });
  const client = new Client({ name: 'e2e', version: '1' }, {});
  await client.connect(transport);
  return { client, transport };
}

async function read({ client }: StdioPeer, args: object): Promise<DebateState> {
  const answer = await client.callTool({ name: 'get_result', arguments: { ...args } });
  return DebateState.parse(answer.structuredContent);
}

test('a server, three stdio clients and a probe: a kill -9 of each loses nothing', {
  timeout: 240_000,
}, async () => {
  const server = await startRealServer(freshDataDir());
  const payer = createPayer();
  await fund(server, payer.address, '10');
  const [one, two, three] = await Promise.all([
    connectStdio(server.dataDir),
    connectStdio(server.dataDir),
    connectStdio(server.dataDir),
  ]);
  const unpaid = await one.client.callTool({ name: DEBATE, arguments: QUESTION });
  const payment = await inBandPayment(payer, PaymentRequired.parse(unpaid.structuredContent));
  const paid = { name: DEBATE, arguments: QUESTION, _meta: payment };
  const begun = DebateState.parse((await one.client.callTool(paid)).structuredContent);
  const { job_id } = begun;

  process.kill(one.transport.pid ?? 0, 'SIGKILL');
  const turns = answerTurns(begun).slice(0, 2);
  expect((await read(two, { job_id, turns })).turns_done).toBe(2);

  const probe = new Client({ name: 'probe', version: '1' }, {});
  await probe.connect(new StreamableHTTPClientTransport(new URL(server.ready.mcp_v1)));
  expect((await probe.listTools()).tools.length).toBeGreaterThan(0);

  await server.kill();
  expect((await read(three, { job_id })).turns_done).toBe(2);
  const daemon = readReady(server.dataDir);
  expect(daemon?.pid).not.toBe(server.ready.pid);

  let state = await read(two, { job_id });
  while (state.needs_turns !== undefined) {
    state = await read(two, { job_id, turns: answerTurns(state) });
  }
  expect(state.status).toBe('decided');
  const again = DebateState.parse((await three.client.callTool(paid)).structuredContent);
  expect(again.job_id).toBe(job_id);
  expect(
    daemon === undefined ? 0n : await balanceOf({ ...server, ready: daemon }, payer.address),
  ).toBe(8_000_000n);

  process.kill(two.transport.pid ?? 0, 'SIGKILL');
  expect((await read(three, { job_id })).status).toBe('decided');
  await three.client.close();
  await until(async () => !(await isListening(localAddress(server.dataDir))), 60_000);
});

test('stdio alone starts a daemon that ends with its last client', {
  timeout: 120_000,
}, async () => {
  const dataDir = freshDataDir();
  const [one, two] = await Promise.all([connectStdio(dataDir), connectStdio(dataDir)]);
  const { tools } = await one.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('get_result');
  await one.client.close();
  expect((await two.client.listTools()).tools).toEqual(tools);
  await two.client.close();
  await until(async () => !(await isListening(localAddress(dataDir))), 60_000);
});
