import { expect, test } from 'vitest';
import { type StdioPair, stdioPair } from '../../support/stdio-pair.ts';
import { CHALLENGE, type TestService, testService } from '../../support/tool-service.ts';

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
};

async function open(pair: StdioPair, protocolVersion: string) {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } };
  pair.send({ jsonrpc: '2.0', id: 'init', method: 'initialize', params });
  const answer = await pair.next();
  pair.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return answer;
}

test.for([
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2025-06-18'],
  ['2025-03-26', '2025-03-26'],
  ['2024-11-05', '2024-11-05'],
  ['2024-10-07', '2025-11-25'],
  ['2030-01-01', '2025-11-25'],
] as const)('initialize with %s is answered with %s', async ([wish, given]) => {
  const pair = stdioPair(testService());
  expect(await open(pair, wish)).toMatchObject({ result: { protocolVersion: given } });
  pair.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
  expect(await pair.next()).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
  await pair.end();
});

test('a challenge travels in band, and an unknown tool is an error', async () => {
  const pair = stdioPair(testService());
  await open(pair, '2025-11-25');
  const call = (id: number, name: string) =>
    pair.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } });
  call(1, 'paid');
  expect(await pair.next()).toMatchObject({
    result: { isError: true, structuredContent: CHALLENGE },
  });
  call(2, 'no_such_tool');
  expect(await pair.next()).toMatchObject({ id: 2, error: { code: -32_602 } });
  call(3, 'broken');
  const broken = JSON.stringify(await pair.next());
  expect(broken).toContain('-32603');
  expect(broken).not.toContain('inside');
  await pair.end();
});

test('payments, the local principal and the resource reach the service', async () => {
  const service = testService();
  const pair = stdioPair(service);
  await open(pair, '2025-11-25');
  const params = { name: 'paid', arguments: { a: 1 }, _meta: { 'x402/payment': { pay: 1 } } };
  pair.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  expect(await pair.next()).toMatchObject({
    result: { _meta: { 'x402/payment-response': { success: true } } },
  });
  expect(service.calls[0]).toMatchObject({
    arguments: { a: 1 },
    payments: [{ carrier: 'meta', value: { pay: 1 } }],
    principal: { kind: 'local', id: 'stdio' },
    resourceUrl: 'mcp://tool/paid',
  });
  await pair.end();
});

test('the sessionless version is served without initialize', async () => {
  const pair = stdioPair(testService());
  pair.send({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: MODERN } });
  expect(await pair.next()).toMatchObject({
    result: { supportedVersions: ['2026-07-28'], resultType: 'complete' },
  });
  const params = { name: 'echo', arguments: { a: 1 }, _meta: MODERN };
  pair.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
  expect(await pair.next()).toMatchObject({ id: 2, result: { resultType: 'complete' } });
  pair.send({ jsonrpc: '2.0', id: 3, method: 'ping', params: { _meta: MODERN } });
  expect(await pair.next()).toMatchObject({ id: 3, error: { code: -32_601 } });
  await pair.end();
});

test('a version that is not spoken is refused before and after a version is bound', async () => {
  const pair = stdioPair(testService());
  const strange = { ...MODERN, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' };
  const list = (id: number, meta: object) =>
    pair.send({ jsonrpc: '2.0', id, method: 'tools/list', params: { _meta: meta } });
  const refusal = {
    error: { code: -32_022, data: { supported: ['2026-07-28'], requested: '2030-01-01' } },
  };
  list(1, strange);
  expect(await pair.next()).toMatchObject({ id: 1, ...refusal });
  list(2, MODERN);
  expect(await pair.next()).toMatchObject({ id: 2, result: { resultType: 'complete' } });
  list(3, strange);
  expect(await pair.next()).toMatchObject({ id: 3, ...refusal });
  list(4, MODERN);
  expect(await pair.next()).toMatchObject({ id: 4, result: { resultType: 'complete' } });
  await pair.end();
});

test('2025-03-26 has batches, other versions refuse them', async () => {
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/anything' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: {} } },
  ];
  const pair = stdioPair(testService());
  await open(pair, '2025-03-26');
  pair.send(batch);
  const answers = (await pair.next()) as { id: number }[];
  expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  await pair.end();
  const other = stdioPair(testService());
  await open(other, '2025-06-18');
  other.send(batch);
  expect(await other.next()).toMatchObject({ id: null, error: { code: -32_600 } });
  await other.end();
});

test('a cancelled request of a batch does not hold the others up', async () => {
  const service = testService();
  const pair = stdioPair(service);
  await open(pair, '2025-03-26');
  pair.send([
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'hold', arguments: {} } },
  ]);
  pair.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
  expect(await pair.next()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  service.release();
  await pair.end();
});

test('lines that are no messages are answered as such', async () => {
  const pair = stdioPair(testService());
  pair.send('{');
  expect(await pair.next()).toMatchObject({ id: null, error: { code: -32_700 } });
  pair.send('{"id":1}');
  expect(await pair.next()).toMatchObject({ id: null, error: { code: -32_600 } });
  expect(await open(pair, '2025-11-25')).toMatchObject({ id: 'init' });
  await pair.end();
});

test('progress is told before the answer', async () => {
  const pair = stdioPair(testService());
  await open(pair, '2025-11-25');
  const params = { name: 'steps', arguments: { count: 2 }, _meta: { progressToken: 'p' } };
  pair.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const kinds: unknown[] = [];
  for (let at = 0; at < 3; at += 1) {
    const message = (await pair.next()) as { method?: string; id?: number };
    kinds.push(message.method ?? message.id);
  }
  expect(kinds).toEqual(['notifications/progress', 'notifications/progress', 1]);
  await pair.end();
});

test('a client whose pipes are both closed is a caller gone', async () => {
  const service = testService();
  const pair = stdioPair(service);
  await open(pair, '2025-11-25');
  pair.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hold' } });
  while (service.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const ended = pair.end();
  pair.output.destroy();
  await ended;
  expect(service.calls[0]?.signal.aborted).toBe(true);
  service.release();
});

/** Everything that comes until the server closes, when all of the input comes at once. */
async function answersTo(text: string, release?: (service: TestService) => void) {
  const service = testService();
  const pair = stdioPair(service);
  const lines: unknown[] = [];
  let rest = '';
  pair.output.on('data', (chunk: Buffer) => {
    const whole = (rest + chunk.toString('utf8')).split('\n');
    rest = whole.pop() ?? '';
    lines.push(...whole.map((line) => JSON.parse(line)));
  });
  pair.input.write(text);
  const ended = pair.end();
  if (release !== undefined) {
    await expect.poll(() => service.calls.length).toBe(1);
    await new Promise((done) => setTimeout(done, 30));
    release(service);
  }
  await ended;
  return lines.map((line) => (Array.isArray(line) ? line.map((each) => each.id) : Object(line).id));
}

const hello = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } },
});
const READY = { jsonrpc: '2.0', method: 'notifications/initialized' };
const callOf = (id: number, name: string, more: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {}, ...more },
});
const written = (...messages: unknown[]) =>
  messages.map((message) => JSON.stringify(message)).join('\n');

test.for([
  ['with a line end behind the last', '\n'],
  ['without a line end behind the last', ''],
] as const)('requests whose input ends behind them are answered, %s', async ([, end]) => {
  const asked = [hello('2025-11-25'), READY, callOf(1, 'echo'), { ...callOf(2, 'echo') }];
  const ids = await answersTo(written(...asked, { jsonrpc: '2.0', id: 3, method: 'ping' }) + end);
  expect(new Set(ids)).toEqual(new Set([1, 2, 3, 'init']));
});

test('a slow answer is waited for, over every way to ask', async () => {
  const free = (service: TestService) => service.release();
  const slow = [hello('2025-11-25'), READY, callOf(1, 'hold')];
  expect(await answersTo(written(...slow), free)).toEqual(['init', 1]);
  const modern = callOf(1, 'hold', { _meta: MODERN });
  expect(await answersTo(written(modern), free)).toEqual([1]);
  const batch = [callOf(1, 'hold'), { jsonrpc: '2.0', id: 2, method: 'ping' }];
  const ids = await answersTo(written(hello('2025-03-26'), READY, batch), free);
  expect(ids[0]).toBe('init');
  expect(new Set(ids[1] as unknown[])).toEqual(new Set([1, 2]));
});

test('input without an open request closes at once', async () => {
  expect(await answersTo('')).toEqual([]);
  expect(await answersTo('nothing')).toEqual([null]);
  expect(await answersTo(written(READY))).toEqual([]);
  const params = { requestId: 1 };
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
  const asked = [hello('2025-11-25'), READY, callOf(1, 'hold'), cancelled];
  expect(await answersTo(written(...asked))).toEqual(['init']);
});
