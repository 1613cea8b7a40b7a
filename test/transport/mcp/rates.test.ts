import { expect, test } from 'vitest';
import { networkOf } from '../../../src/transport/http/address.ts';
import { RateLimiter } from '../../../src/transport/mcp/call/rate-limiter.ts';
import { TokenBuckets } from '../../../src/transport/mcp/call/token-buckets.ts';
import { FRONT_LIMITS } from '../../../src/transport/mcp/limits.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';
import { stdioPair } from '../../support/stdio-pair.ts';
import { type TestService, testService } from '../../support/tool-service.ts';
import { claimer } from './each-engine.ts';
import { type RpcAnswer, Wire } from './wire.ts';

const SLOW = { burst: 3, perMinute: 1 };
const limits = { limitsLocalCallers: true, requestRate: SLOW };

/** Test tools of which `echo` is free and works outside. */
function outside(): TestService {
  const service = testService();
  const tools = service.tools.map((tool) => ({
    ...tool,
    annotations: { ...tool.annotations, openWorldHint: tool.name === 'echo' },
  }));
  return { ...service, tools };
}

function refusal(limit: string) {
  return {
    code: -32_000,
    message: expect.stringMatching(/^Rate limited: try again in \d+ s$/),
    data: {
      error: 'RATE_LIMITED',
      message: 'Too many requests.',
      retry: 'later',
      doc: 'docs/errors.md#rate_limited',
      retry_after_s: expect.any(Number),
      limit,
    },
  };
}

async function seen(response: Response) {
  const { error } = (await response.json()) as RpcAnswer;
  return { status: response.status, retryAfter: response.headers.get('retry-after'), error };
}

const claim = claimer();

claim('requests above the rate are 429 with Retry-After, and nothing runs', async ({ start }) => {
  const rig = await start({ limits });
  const wire = new Wire(rig);
  await wire.open();
  const meta = { 'x402/payment': { pay: 1 } };
  for (let id = 1; id <= 3; id += 1) {
    expect((await wire.call('paid', {}, { id, meta })).status).toBe(200);
  }
  const refused = await seen(await wire.call('paid', {}, { id: 4, meta }));
  expect(refused).toMatchObject({ status: 429, error: refusal('requests') });
  expect(Number(refused.retryAfter)).toBeGreaterThan(50);
  expect(Number(refused.retryAfter)).toBeLessThanOrEqual(60);
  expect(rig.service.calls).toHaveLength(3);
  expect((await wire.post({ jsonrpc: '2.0', id: 5, method: 'tools/list' })).status).toBe(429);
  expect((await wire.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(
    202,
  );
});

claim('in a batch the refusal travels in band', async ({ start }) => {
  const wire = new Wire(await start({ limits }));
  await wire.open('2025-03-26');
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const response = await wire.post([1, 2, 3, 4, 5].map(ping));
  expect(response.status).toBe(200);
  const answers = (await response.json()) as RpcAnswer[];
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
    [1, undefined],
    [2, undefined],
    [3, undefined],
    [4, -32_000],
    [5, -32_000],
  ]);
});

claim('2026-07-28 is held to the same rate', async ({ start }) => {
  const wire = new Wire(await start({ limits }), '/v2/');
  wire.headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const ask = () => wire.post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } });
  for (let asked = 0; asked < 3; asked += 1) expect((await ask()).status).toBe(200);
  expect(await seen(await ask())).toMatchObject({ status: 429, error: refusal('requests') });
});

claim('a free tool that works outside has a rate of its own', async ({ start }) => {
  const rates = { limitsLocalCallers: true, toolCallRate: SLOW };
  const wire = new Wire(await start({ commerce: outside(), limits: rates }));
  await wire.open();
  for (let id = 1; id <= 3; id += 1) expect((await wire.call('echo')).status).toBe(200);
  expect(await seen(await wire.call('echo'))).toMatchObject({
    status: 429,
    error: refusal('tool_calls'),
  });
  for (let id = 1; id <= 9; id += 1) expect((await wire.call('big')).status).toBe(200);
});

claim('sessions have a rate, for each remote address', async ({ start }) => {
  const rig = await start({ limits: { sessionRate: SLOW }, trustedProxies: ['127.0.0.1'] });
  const from = async (address: string): Promise<number> => {
    const wire = new Wire(rig);
    wire.headers = { 'x-forwarded-for': address };
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    return (await wire.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })).status;
  };
  for (let one = 0; one < 3; one += 1) expect(await from('203.0.113.1')).toBe(200);
  expect(await from('203.0.113.1')).toBe(429);
  expect(await from('203.0.113.2')).toBe(200);
  for (let one = 0; one < 3; one += 1) expect(await from(`2001:db8::${one}`)).toBe(200);
  expect(await from('2001:db8::9')).toBe(429);
  expect(await from('2001:db8:0:1::9')).toBe(200);
});

claim('callers on this machine have no rate unless the limits say so', async ({ start }) => {
  const wire = new Wire(await start({ limits: { requestRate: SLOW, sessionRate: SLOW } }));
  await wire.open();
  for (let id = 1; id <= 20; id += 1) expect((await wire.ask('ping', {}, id)).result).toEqual({});
});

test('on stdio the refusal travels in band', async () => {
  const gate = new RateLimiter(realClock, { ...FRONT_LIMITS, ...limits });
  const pair = stdioPair(testService(), gate);
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  };
  pair.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await pair.next();
  for (let id = 1; id <= 4; id += 1) {
    pair.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo' } });
    const answer = await pair.next();
    expect(answer).toMatchObject(id <= 3 ? { id, result: {} } : { id, error: refusal('requests') });
  }
  await pair.end();
});

test('tokens come back with time, never above the burst', () => {
  proves('C8.s4');
  const buckets = new TokenBuckets({ burst: 2, perMinute: 60 }, 10);
  expect([0, 0, 0].map(() => buckets.take('a', 0))).toEqual([0, 0, 1_000]);
  expect(buckets.take('a', 400)).toBe(600);
  expect(buckets.take('a', 1_000)).toBe(0);
  expect([1, 2, 3].map(() => buckets.take('a', 90_000))).toEqual([0, 0, 1_000]);
  expect(buckets.take('a', 80_000)).toBe(1_000);
  expect(buckets.take('b', 90_000)).toBe(0);
});

test('buckets are bounded, and the one used longest ago is forgotten', () => {
  const buckets = new TokenBuckets({ burst: 1, perMinute: 1 }, 3);
  for (const key of ['a', 'b', 'c']) buckets.take(key, 0);
  expect(buckets.take('a', 0)).toBeGreaterThan(0);
  buckets.take('d', 0);
  expect(buckets.size).toBe(3);
  expect(buckets.take('a', 0)).toBeGreaterThan(0);
  expect(buckets.take('b', 0)).toBe(0);
});

test('one client is one IPv4 address or one IPv6 network', () => {
  expect(networkOf('203.0.113.1')).toBe('203.0.113.1');
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:db8::1')).toBe('2001:db8:0:0::/64');
  expect(networkOf('::1')).toBe('0:0:0:0::/64');
});
