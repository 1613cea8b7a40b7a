import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, expect, test } from 'vitest';
import { answerTurns } from '../../src/connect/tour/agent.ts';
import { DebateState } from '../../src/domain/debate/result.ts';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { ENGINES } from '../support/engines.ts';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from '../support/otlp-receiver.ts';
import { createPayer, type Payer } from '../support/payer.ts';
import { readMetrics } from '../support/prometheus-text.ts';
import {
  cleanUp,
  freshDataDir,
  fund,
  inBandPayment,
  type RealServer,
  startRealServer,
  until,
} from '../support/real-server.ts';

const DEBATE = 'deliberation_multi-agent-debate';
const SECRET_WORDS = 'zebra-quagga';
const TRACE = { caller: '0af7651916cd43dd8448eb211c80319c', other: 'b'.repeat(32) };
const parentOf = (traceId: string): string => `00-${traceId}-b7ad6b7169203331-01`;
const criteria = [{ name: 'speed' }, { name: 'care' }];
const options = ['one', 'two'].map((name, at) => ({ name, scores: { speed: at, care: 2 - at } }));
const BY_RULES = { question: SECRET_WORDS, options, criteria, seats_by: 'rules', wait_s: 20 };
const BY_CALLER = {
  question: SECRET_WORDS,
  options: ['one', 'two', 'three'],
  seats_by: 'caller',
  max_rounds: 0,
  wait_s: 0,
};

afterAll(cleanUp);

async function connect(url: string, traceId?: string): Promise<Client> {
  const headers = traceId === undefined ? {} : { traceparent: parentOf(traceId) };
  const client = new Client({ name: 'e2e', version: '1' }, {});
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return client;
}

async function buy(client: Client, payer: Payer, args: object, meta: object = {}) {
  const asked = { name: DEBATE, arguments: { ...args }, _meta: { ...meta } };
  const challenge = PaymentRequired.parse((await client.callTool(asked)).structuredContent);
  const payment = await inBandPayment(payer, challenge);
  const answer = await client.callTool({ ...asked, _meta: { ...meta, ...payment } });
  return DebateState.parse(answer.structuredContent);
}

function tracesTo(receiver: OtlpReceiver) {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SERVICE_NAME: 'stoa-e2e' };
}

function of(receiver: OtlpReceiver, traceId: string): (name: string) => readonly ReceivedSpan[] {
  return (name) => receiver.spans.filter((span) => span.traceId === traceId && span.name === name);
}

/** No span says what was asked, bought, paid, or how its job is read. */
function expectNoSecrets({ bodies, spans }: OtlpReceiver, payer: Payer, jobId: string): void {
  const all = bodies.join('\n').toLowerCase();
  for (const secret of [SECRET_WORDS, payer.address, jobId, jobId.slice(4)]) {
    expect(all.includes(secret.toLowerCase()), secret).toBe(false);
  }
  const told = spans.flatMap(({ attributes }) => Object.values(attributes).map(String));
  expect(told).not.toContain('2000000');
}

test('a paid debate is one trace, from the caller through call and actors to effects', {
  timeout: 120_000,
}, async () => {
  const receiver = await startOtlpReceiver();
  const server = await startRealServer(freshDataDir(), [], tracesTo(receiver));
  const payer = createPayer();
  await fund(server, payer.address);
  const client = await connect(server.ready.mcp_v2, TRACE.caller);
  const state = await buy(client, payer, BY_RULES);
  expect(state.status).toBe('decided');
  await client.close();
  expect(await server.stop()).toBe(0);

  const spans = of(receiver, TRACE.caller);
  const calls = spans(`tools/call ${DEBATE}`);
  expect(calls.map(({ attributes }) => attributes['stoa.outcome'])).toEqual([
    'payment_required',
    'answered',
  ]);
  for (const call of calls) expect(call.parentSpanId).toBe('b7ad6b7169203331');
  const paid = calls[1]?.spanId;
  expect(spans('payment xstate.init')).toMatchObject([{ parentSpanId: paid }]);
  expect(spans('debate xstate.init')).toMatchObject([{ parentSpanId: paid }]);
  expect(spans('effect payment.settle')).toMatchObject([
    { parentSpanId: paid, attributes: { 'stoa.attempt': 1, 'stoa.outcome': 'done' } },
  ]);
  expect(spans('effect debate.turn').length).toBeGreaterThanOrEqual(10);
  expect(spans('effect debate.seal')).toHaveLength(1);
  // Every row but an actor's first is linked to the row before it.
  const [first] = spans('payment xstate.init');
  const [checked] = spans('payment xstate.done.actor.check');
  expect(checked?.links).toMatchObject([{ traceId: TRACE.caller, spanId: first?.spanId }]);
  expect(calls[0]?.resource).toMatchObject({ 'service.name': 'stoa-e2e' });
  expectNoSecrets(receiver, payer, state.job_id);
  await receiver.stop();
});

test('a debate that kill -9 cuts off goes on in the trace that bought it', {
  timeout: 180_000,
}, async () => {
  const receiver = await startOtlpReceiver();
  const dataDir = freshDataDir();
  let server: RealServer = await startRealServer(dataDir, [], tracesTo(receiver));
  const payer = createPayer();
  await fund(server, payer.address);
  const first = await connect(server.ready.mcp_v2);
  // Without a header, the one in `_meta` counts.
  const begun = await buy(first, payer, BY_CALLER, { traceparent: parentOf(TRACE.caller) });
  expect(begun.status).toBe('needs_turns');
  const spans = of(receiver, TRACE.caller);
  await until(() => spans('debate xstate.init').length === 1);
  await server.kill();
  const known = receiver.spans.length;

  server = await startRealServer(dataDir, [], tracesTo(receiver));
  const second = await connect(server.ready.mcp_v2, TRACE.other);
  let state = begun;
  while (state.needs_turns !== undefined || state.status === 'working') {
    const turns = answerTurns(state);
    const args = { job_id: state.job_id, ...(turns.length === 0 ? { wait_s: 5 } : { turns }) };
    const answer = await second.callTool({ name: 'get_result', arguments: args });
    state = DebateState.parse(answer.structuredContent);
  }
  expect(state.status).toBe('decided');
  expect((await expectBooksBalanced(server)).in).toBe(2_000_000n);
  await second.close();
  expect(await server.stop()).toBe(0);

  const [paid] = spans(`tools/call ${DEBATE}`).slice(-1);
  const later = receiver.spans.slice(known);
  const sealed = later.filter(({ name }) => name === 'effect debate.seal');
  expect(sealed).toMatchObject([{ traceId: TRACE.caller, parentSpanId: paid?.spanId }]);
  const rows = later.filter(({ name }) => name.startsWith('debate '));
  expect(rows.length).toBeGreaterThan(5);
  for (const { traceId } of rows) expect(traceId).toBe(TRACE.caller);
  expect(of(receiver, TRACE.other)('tools/call get_result').length).toBeGreaterThan(0);
  expectNoSecrets(receiver, payer, state.job_id);
  await receiver.stop();
});

test('a call that its caller does not sample makes no spans', { timeout: 120_000 }, async () => {
  const receiver = await startOtlpReceiver();
  const server = await startRealServer(freshDataDir(), [], tracesTo(receiver));
  const client = await connect(server.ready.mcp_v2);
  const asked = { name: DEBATE, arguments: BY_RULES };
  const unsampled = { traceparent: `00-${TRACE.caller}-b7ad6b7169203331-00` };
  await client.callTool({ ...asked, _meta: unsampled });
  await client.callTool({ ...asked, _meta: { traceparent: 'not a trace' } });
  await client.close();
  expect(await server.stop()).toBe(0);
  expect(receiver.spans).toHaveLength(1);
  expect(receiver.spans[0]?.parentSpanId ?? '').toBe('');
  expect(receiver.spans[0]?.traceId).not.toBe(TRACE.caller);
  await receiver.stop();
});

test('a collector that does not answer is told of, and calls go on', {
  timeout: 120_000,
}, async () => {
  const receiver = await startOtlpReceiver();
  await receiver.stop();
  const server = await startRealServer(freshDataDir(), [], tracesTo(receiver));
  const client = await connect(server.ready.mcp_v2);
  const answer = await client.callTool({ name: DEBATE, arguments: BY_RULES });
  expect(PaymentRequired.safeParse(answer.structuredContent).success).toBe(true);
  await until(() => server.errors().includes('spans could not be sent'));
  await client.close();
  expect(await server.stop()).toBe(0);
});

/** Asks as a direct peer or as a proxy would. */
function get(url: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
    const asked = request(url, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      const { statusCode: status = 0 } = response;
      const type = String(response.headers['content-type']);
      response.on('end', () => resolve({ status, type, text }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

test.each(ENGINES)(
  '/metrics, /healthz and /readyz of a real server, over %s',
  {
    timeout: 120_000,
  },
  async (engine) => {
    const env = { STOA_TRUSTED_PROXIES: '127.0.0.9' };
    const server = await startRealServer(freshDataDir(), ['--http', engine], env);
    const { base_url: url, token_file: tokenFile } = server.ready;
    const payer = createPayer();
    await fund(server, payer.address);
    const client = await connect(server.ready.mcp_v2);
    await buy(client, payer, BY_RULES);

    const own = await get(`${url}/metrics`);
    expect(own.type).toBe('text/plain; version=0.0.4; charset=utf-8');
    const metrics = readMetrics(own.text);
    const told = (name: string, labels: Readonly<Record<string, string>>) =>
      metrics
        .get(name)
        ?.samples.find((sample) =>
          Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
        )?.value ?? 0;
    expect(told('stoa_events_total', { kind: 'payment', entry: 'event' })).toBeGreaterThan(2);
    const settled = { kind: 'payment', effect: 'settle', provider: 'chain', outcome: 'done' };
    expect(told('stoa_effect_attempts_total', settled)).toBe(1);
    const turns = { kind: 'debate', effect: 'turn', provider: 'rule', outcome: 'done' };
    expect(told('stoa_effect_attempts_total', turns)).toBeGreaterThanOrEqual(10);
    // Of each kind one actor was bought; what the server keeps of its own stands beside them.
    expect(told('stoa_store_rows', { environment: 'actors', family: 'index' })).toBeGreaterThan(2);
    expect(told('stoa_sessions', {})).toBe(1);
    expect(own.text).not.toContain(payer.address);

    const forwarded = { 'x-forwarded-for': '203.0.113.9' };
    const token = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` };
    expect((await get(`${url}/metrics`, forwarded)).status).toBe(403);
    expect((await get(`${url}/metrics`, { ...forwarded, ...token })).status).toBe(403);
    expect((await get(`${url}/healthz`)).text).toBe('ok\n');
    const ready = await get(`${url}/readyz`);
    expect([ready.status, JSON.parse(ready.text)]).toEqual([200, { ready: true, reasons: [] }]);

    await client.close();
    expect(await server.stop()).toBe(0);
  },
);
