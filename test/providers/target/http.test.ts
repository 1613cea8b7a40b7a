import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAuditTargets } from '../../../src/providers/target/audit-targets.ts';
import { codeOf } from '../../support/audits/code-of.ts';
import { type Meddle, type SmallHttp, smallHttp } from '../../support/audits/small-http.ts';
import { targetContract } from './target.contract.ts';

const targets = createAuditTargets({ allowInternal: true, commands: [] });
const how = {
  limits: { requestsMax: 50, bytesMax: 2_000_000, totalMs: 20_000 },
  canarySeed: 'http',
};
let small: SmallHttp;

beforeAll(async () => {
  small = await smallHttp();
});
afterAll(async () => await small.close());

targetContract(() => ({ targets, address: { kind: 'mcp_http', url: small.url } }));

test('internal addresses are refused before anything is sent', async () => {
  const strict = createAuditTargets({ allowInternal: false, commands: [] });
  const before = small.seen.length;
  const { port } = new URL(small.url);
  const urls = [
    small.url,
    `http://localhost:${port}/mcp`,
    'http://169.254.169.254/',
    'http://[::1]/',
  ];
  for (const url of [...urls, 'http://2130706433/', 'ftp://example.com/', 'no address']) {
    expect(await codeOf(strict.open({ kind: 'mcp_http', url }, how))).toBe('EGRESS_BLOCKED');
  }
  expect(small.seen.length).toBe(before);
});

test('own hosts are refused; on loopback only while internal targets are', async () => {
  const denyHosts = ['127.0.0.1', 'stoa.example'];
  const open = (allowInternal: boolean, url: string) => {
    const ours = createAuditTargets({ allowInternal, commands: [], denyHosts });
    return codeOf(ours.open({ kind: 'mcp_http', url }, how).then((target) => target.close()));
  };
  expect(await open(false, small.url)).toBe('EGRESS_BLOCKED');
  expect(await open(true, small.url)).not.toBe('EGRESS_BLOCKED');
  expect(await open(true, 'https://stoa.example/mcp')).toBe('EGRESS_BLOCKED');
});

test('a name is resolved once and every connection goes to that address', async () => {
  const resolve = vi.fn(async () =>
    resolve.mock.calls.length === 1 ? ['127.0.0.1'] : ['10.9.9.9'],
  );
  const named = createAuditTargets({ allowInternal: true, commands: [], resolve });
  const { port } = new URL(small.url);
  const address = { kind: 'mcp_http', url: `http://target.test:${port}/mcp` } as const;
  const target = await named.open(address, how);
  await target.connect();
  await target.connect();
  expect(resolve).toHaveBeenCalledTimes(1);
  expect(target.pinnedAddress).toBe('127.0.0.1');
  expect(small.seen.at(-1)).toContain(`target.test:${port}`);
  await target.close();
  const again = await named.open(address, { ...how, pinnedAddress: '127.0.0.1' });
  await again.connect();
  expect(resolve).toHaveBeenCalledTimes(1);
  await again.close();
});

test('a name that leads inside is refused, whichever of its addresses does', async () => {
  const strict = createAuditTargets({
    allowInternal: false,
    commands: [],
    resolve: async () => ['93.184.216.34', '127.0.0.1'],
  });
  const asked = strict.open({ kind: 'mcp_http', url: 'https://target.test/mcp' }, how);
  expect(await codeOf(asked)).toBe('EGRESS_BLOCKED');
});

test('a redirect is followed on the own origin and nowhere else', async () => {
  const other = await smallHttp();
  const goals = { '/old': '/mcp', '/away': other.url, '/inside': 'http://169.254.169.254/' };
  const meddle: Meddle = (request, response) => {
    const goal = goals[request.url as keyof typeof goals];
    if (goal === undefined) return false;
    response.writeHead(307, { location: goal }).end();
    return true;
  };
  const leading = await smallHttp(meddle);
  const begin = async (path: string) => {
    const target = await targets.open({ kind: 'mcp_http', url: `${leading.origin}${path}` }, how);
    const code = await codeOf(target.connect());
    await target.close();
    return code;
  };
  expect(await begin('/old')).toBe('none');
  expect(await begin('/away')).toBe('AUDIT_TARGET_DOWN');
  expect(await begin('/inside')).toBe('AUDIT_TARGET_DOWN');
  expect(other.seen).toEqual([]);
  await leading.close();
  await other.close();
});

test.each([
  'http://127.0.0.1:PORT/mcp',
  'http://localhost:PORT/mcp',
  'http://[::1]:8080/',
  'http://169.254.169.254/latest/meta-data',
  'http://0x7f.1:8443/',
  'file:///etc/passwd',
])(
  'while internal addresses are closed, a redirect to %s is refused and unheard',
  async (place) => {
    const secret = await smallHttp();
    const location = place.replace('PORT', new URL(secret.url).port);
    const leading = await smallHttp((_request, response) => {
      response.writeHead(307, { location }).end();
      return true;
    });
    const { host } = new URL(leading.url);
    const strict = createAuditTargets({ allowInternal: [host], commands: [] });
    const target = await strict.open({ kind: 'mcp_http', url: leading.url }, how);
    expect(await codeOf(target.connect())).toBe('EGRESS_BLOCKED');
    expect(leading.seen).toHaveLength(1);
    expect(secret.seen).toEqual([]);
    const other = strict.open({ kind: 'mcp_http', url: secret.url }, how);
    expect(await codeOf(other)).toBe('EGRESS_BLOCKED');
    await Promise.all([target.close(), leading.close(), secret.close()]);
  },
);

test('a foreign Host and Origin are sent as they are', async () => {
  const target = await targets.open({ kind: 'mcp_http', url: small.url }, how);
  await target.connect({ headers: { host: 'foreign.example', origin: 'https://foreign.example' } });
  expect(small.seen.some((line) => line.includes('foreign.example'))).toBe(true);
  await target.close();
});

test('credentials go with every request, unless a connection is anonymous', async () => {
  const headers: (string | undefined)[] = [];
  const guarded = await smallHttp((request) => {
    headers.push(request.headers.authorization);
    return false;
  });
  const credentials = { ...how, headers: { authorization: 'Bearer owner' } };
  const target = await targets.open({ kind: 'mcp_http', url: guarded.url }, credentials);
  await target.connect();
  expect(new Set(headers)).toEqual(new Set(['Bearer owner']));
  headers.length = 0;
  await target.connect({ isAnonymous: true });
  expect(new Set(headers)).toEqual(new Set([undefined]));
  await target.close();
  await guarded.close();
});

test('what is turned away as too much is asked again after a while', async () => {
  let refusals = 2;
  const busy = await smallHttp((_request, response, { method }) => {
    if (method !== 'tools/list' || refusals === 0) return false;
    refusals -= 1;
    response.writeHead(429, { 'retry-after': '0' }).end();
    return true;
  });
  const target = await targets.open({ kind: 'mcp_http', url: busy.url }, how);
  const connection = await target.connect();
  expect((await connection.request('tools/list', {})).kind).toBe('result');
  await target.close();
  await busy.close();
});

test('a raw exchange reads no more than it is asked to', async () => {
  const target = await targets.open({ kind: 'mcp_http', url: small.url }, how);
  const answer = await target.exchange?.({ method: 'GET', path: '/none', answerBytesMax: 4 });
  expect(answer).toMatchObject({ kind: 'answer', status: 404, body: 'noth', isCut: true });
  await target.close();
});

test('a flood ends at the budget of bytes', async () => {
  const target = await targets.open({ kind: 'mcp_http', url: small.url }, how);
  const connection = await target.connect();
  const asked = connection.request('tools/call', { name: 'flood', arguments: {} });
  // Either bound may come first: a megabyte for one answer, or the bytes of the whole.
  const outcome = await asked.then(
    ({ kind, raw }) => ({ kind, bytes: raw.length }),
    (thrown: { code: string }) => ({ kind: thrown.code, bytes: 0 }),
  );
  expect(['broken', 'AUDIT_BUDGET']).toContain(outcome.kind);
  expect(target.spent().bytes).toBeLessThan(3_000_000);
  await target.close();
});

test('closing leaves no connection standing', async () => {
  const target = await targets.open({ kind: 'mcp_http', url: small.url }, how);
  const connection = await target.connect();
  const hanging = connection.request('tools/call', { name: 'silent', arguments: {} });
  await target.close();
  expect(await codeOf(hanging)).toBe('AUDIT_STOPPED');
  await vi.waitFor(() => expect(small.open()).toBe(0));
});

test('a listener tells who followed its address, and its redirect', async () => {
  const listener = await targets.listen({ kind: 'mcp_http', url: small.url });
  if (listener === undefined) expect.fail('there is a listener on loopback');
  expect(listener.countHits('one')).toBe(0);
  await (await fetch(listener.url('one'))).text();
  await (await fetch(listener.redirect('one'))).text();
  expect(listener.countHits('one')).toBe(2);
  expect(listener.countHits('two')).toBe(0);
  await listener.close();
  const others = createAuditTargets({ allowInternal: false, commands: [] });
  expect(await others.listen({ kind: 'mcp_http', url: small.url })).toBeUndefined();
});
