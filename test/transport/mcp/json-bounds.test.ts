import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkBounds } from '../../../src/transport/mcp/json-bounds.ts';
import { TOKEN } from '../../support/front-rig.ts';
import { stdioPair } from '../../support/stdio-pair.ts';
import { testService } from '../../support/tool-service.ts';
import { claimer } from './each-engine.ts';
import { Wire } from './wire.ts';

const BODY_BYTES = 4_194_304;
/** Shorter than what the worst of these bodies cost when they were parsed. */
const HANG_MS = 1_500;

const limitOf = (text: string) => checkBounds(Buffer.from(text))?.data['limit'];
const nested = (depth: number) => `${'['.repeat(depth)}"${'x'.repeat(2_000)}"${']'.repeat(depth)}`;
const listOf = (count: number) => `[${Array.from({ length: count }, () => '1').join(',')}]`;

test('depth and members have bounds, exactly', () => {
  expect(limitOf(nested(64))).toBeUndefined();
  expect(limitOf(nested(65))).toBe('depth');
  expect(limitOf(listOf(20_000))).toBeUndefined();
  expect(limitOf(listOf(20_001))).toBe('members');
  expect(limitOf(`[${'{},'.repeat(10_001)}{}]`)).toBe('members');
});

test('what stands in strings counts for nothing, however it is escaped', () => {
  const texts = fc.array(fc.constantFrom('[', '{', ']', ',', '\\', '"', 'a', 'é', ' '), {
    minLength: 900,
    maxLength: 3_000,
  });
  fc.assert(
    fc.property(texts, texts, (one, two) => {
      const honest = JSON.stringify({ a: one.join(''), b: [two.join('')] });
      expect(limitOf(honest)).toBeUndefined();
      const deep = `{"a":${JSON.stringify(one.join(''))},"b":${nested(65)}}`;
      expect(limitOf(deep)).toBe('depth');
    }),
    { numRuns: 200 },
  );
});

const HOSTILE: readonly (readonly [string, string])[] = [
  ['deep lists', '['.repeat(BODY_BYTES / 2) + ']'.repeat(BODY_BYTES / 2)],
  ['deep lists that do not end', '['.repeat(BODY_BYTES)],
  ['deep objects', '{"a":'.repeat(BODY_BYTES / 5)],
  ['many lists', `[${'[],'.repeat(BODY_BYTES / 3 - 2)}[]]`],
  ['many numbers', `[${'1,'.repeat(BODY_BYTES / 2 - 2)}1]`],
  ['many keys', `{${Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join()}}`],
  ['escapes', `"${'\\"'.repeat(BODY_BYTES / 2 - 2)}"`],
  ['backslashes', `"${'\\\\'.repeat(BODY_BYTES / 2 - 2)}`],
  ['digits', '1'.repeat(BODY_BYTES)],
];

const claim = claimer();
for (const [name, body] of HOSTILE) {
  claim(`4 MiB of ${name} are refused while others are answered`, async ({ rig }) => {
    // Where no token is needed, a body is shorter.
    const wire = new Wire(rig, '/hosting/mcp');
    wire.headers = { authorization: `Bearer ${TOKEN}` };
    const honest = new Wire(rig);
    await honest.open();
    let isOver = false;
    const refused = wire.post(body).then(async (response) => {
      isOver = true;
      return { status: response.status, text: await response.text() };
    });
    let slowest = 0;
    for (let asked = 0; asked < 500 && !isOver; asked += 1) {
      const begun = performance.now();
      expect((await honest.ask('ping', {}, asked)).result).toEqual({});
      slowest = Math.max(slowest, performance.now() - begun);
    }
    const { status, text } = await refused;
    expect([400, 413]).toContain(status);
    expect(JSON.parse(text)).toMatchObject({ id: null, error: { code: expect.any(Number) } });
    expect(slowest).toBeLessThan(HANG_MS);
  });
}

claim(
  'a body beyond the bounds is 413 with what is allowed, on both endpoints',
  async ({ rig }) => {
    for (const path of ['/v1/mcp', '/v2/', '/hosting/mcp']) {
      const wire = new Wire(rig, path);
      wire.headers = { authorization: `Bearer ${TOKEN}` };
      const response = await wire.post(nested(65));
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({
        id: null,
        error: {
          code: -32_600,
          message: 'The body has more than 64 levels.',
          data: { error: 'BODY_TOO_LARGE', data: { limit: 'depth', allowed: 64 } },
        },
      });
    }
  },
);

claim('a body without a token has at most 1 MiB, with one 4 MiB', async ({ rig }) => {
  const body = (bytes: number) => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping', params: { pad: '' } };
    return JSON.stringify({
      ...ping,
      params: { pad: 'x'.repeat(bytes - JSON.stringify(ping).length) },
    });
  };
  for (const [path, most] of [
    ['/v1/mcp', 1_048_576],
    ['/v2/', 1_048_576],
    ['/hosting/mcp', 4_194_304],
  ] as const) {
    const wire = new Wire(rig, path);
    wire.headers = { authorization: `Bearer ${TOKEN}` };
    await wire.open();
    expect((await wire.post(body(most))).status, path).toBe(200);
    const refused = await wire.post(body(most + 1));
    expect(refused.status, path).toBe(413);
    expect(await refused.json()).toMatchObject({
      error: { data: { error: 'BODY_TOO_LARGE', data: { limit: 'bytes', allowed: most } } },
    });
  }
});

claim(
  'a large body counts for the requests that it costs, before it is read',
  async ({ start }) => {
    const rate = { burst: 20, perMinute: 1 };
    const rig = await start({ limits: { requestRate: rate, limitsLocalCallers: true } });
    const wire = new Wire(rig);
    await wire.open();
    const large = JSON.stringify('x'.repeat(1_000_000));
    expect((await wire.post(large)).status).toBe(400);
    const refused = await wire.post(large);
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { error: { data: { limit: 'requests' } } },
    ]);
  },
);

test('stdio has the same bounds, and goes on behind such a line', async () => {
  const pair = stdioPair(testService());
  pair.send(nested(65));
  expect(await pair.next()).toMatchObject({
    id: null,
    error: { code: -32_600, data: { error: 'BODY_TOO_LARGE' } },
  });
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  };
  pair.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  expect(await pair.next()).toMatchObject({ id: 1, result: {} });
  await pair.end();
});
