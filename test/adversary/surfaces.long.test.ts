import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { startStoa } from '../../src/main.ts';
import type { Stoa } from '../../src/process/server/stoa.ts';
import type { FrontRoute } from '../../src/transport/front/front-route.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import type { HostOptions } from '../../src/transport/http/host-options.ts';
import { ENGINES } from '../support/engines.ts';
import { systemRandom } from '../support/front-rig.ts';
import { createMemoryHosting } from '../support/hosting-memory/memory-hosting.ts';
import { WORKSPACES } from '../support/hosting-world.ts';
import {
  AMPLIFICATION_MAX,
  type Asked,
  askShort,
  measureKind,
  namesOfRoute,
  type ShortRequest,
} from '../support/surfaces-asked.ts';
import { tempDir } from '../support/temp-dir.ts';

// What a running server hands to its engine is what it serves: no list beside it can fall behind.
const served = vi.hoisted((): { options: HostOptions[] } => ({ options: [] }));
vi.mock('../../src/transport/http/choose-host.ts', async (original) => {
  const real = await original<typeof import('../../src/transport/http/choose-host.ts')>();
  const chooseHost: typeof real.chooseHost = (engine, host, options) => {
    served.options.push(options);
    return real.chooseHost(engine, host, options);
  };
  return { ...real, chooseHost };
});

const PAGE = readFileSync('docs/surfaces.md', 'utf8');
const ROWS = PAGE.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.slice(2, -2).split(' | '))
  .map(([name = '', access = '', bytesIn = '', bytesOut = '', kept = '', ...rest]) => ({
    access,
    bytesIn,
    bytesOut,
    kept,
    rest,
    name: name.replaceAll('`', ''),
  }));
const MCP = ROWS.filter(({ name }) => name.startsWith('MCP '));
const HTTP = ROWS.filter(({ name }) => !name.startsWith('MCP '));

const running: { stoa: Stoa; remove: () => void }[] = [];
const ports = new Map<HttpEngine, number>();

beforeAll(async () => {
  for (const engine of ENGINES) {
    const { path: dataDir, remove } = tempDir();
    const config = parseConfig(['--port', '0', '--data', dataDir, '--http', engine], {});
    const stoa = await startStoa(config, () => undefined, {
      hosting: async (clock, origin) =>
        createMemoryHosting({ clock, random: systemRandom, workspaces: WORKSPACES, origin }),
    });
    running.push({ stoa, remove });
    ports.set(engine, Number(new URL(stoa.ready.base_url).port));
  }
}, 120_000);

afterAll(async () => {
  for (const { stoa, remove } of running) {
    await stoa.close();
    remove();
  }
});

test('every route and socket that is served has a row, and every row is served', () => {
  const [options] = served.options;
  const routes = (options?.routes ?? []) as readonly FrontRoute[];
  const sockets = (options?.sockets ?? []).map(({ path }) => `WEBSOCKET ${path}`);
  expect(routes.length).toBeGreaterThan(0);
  const names = [...routes.flatMap(namesOfRoute), ...sockets];
  expect(HTTP.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const route of routes) {
    for (const name of namesOfRoute(route)) {
      const row = HTTP.find((one) => one.name === name);
      const bytesIn = (route.bodyBytesMax ?? 0).toLocaleString('en-US');
      expect([name, row?.access, row?.bytesIn]).toEqual([name, route.access, bytesIn]);
    }
  }
});

test('every row says what is kept small, how, at what time and with how many rows', () => {
  for (const { name, bytesOut, kept, rest } of ROWS) {
    expect(rest, name).toHaveLength(2);
    for (const cell of [bytesOut, ...rest]) expect(cell, name).not.toBe('');
    for (const one of kept.split(', ')) expect(['short', 'gzip', 'pages'], name).toContain(one);
  }
});

/** Below a path, what has the longest answers; `x` elsewhere. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  'GET /v1/proofs/…': ['key', 'checkpoint', 'records?limit=100', '0.json', 'tile/entries/000.p/1'],
  'GET /v1/events': ['?limit=1000'],
  'GET /a2a/passport/…': ['stoa', 'stoa/registration.json', 'x'],
  'GET /a2a/passports/…': ['stoa/wallet'],
  'GET /a2a/delegations': [`?wallet=0x${'1'.repeat(40)}`],
  'GET /console/…': ['', ...pageFiles()],
};

/** Files of the page, where it is built. */
function pageFiles(): readonly string[] {
  try {
    const files = readdirSync(join('dist', 'web'), { recursive: true, withFileTypes: true });
    return files
      .filter((file) => file.isFile() && !/\.(br|gz)$/.test(file.name))
      .map((file) => join(file.parentPath, file.name).slice(join('dist', 'web', '/').length));
  } catch {
    return [];
  }
}

const ENCODED = { 'accept-encoding': 'gzip, br' };

/** Asks as short as can be; where that is answered at length, again as a client that unpacks. */
async function mustStaySmall(port: number, asks: ShortRequest, kept: string): Promise<Asked> {
  const plain = await askShort(port, asks);
  const kind = measureKind(plain);
  if (kind === 'short') return plain;
  const packed = await askShort(port, { ...asks, headers: { ...asks.headers, ...ENCODED } });
  const found = [kind, measureKind(packed)];
  const told = `${asks.method} ${asks.path} ${asks.body ?? ''}: ${plain.gotBytes} bytes for ${plain.sentBytes}`;
  expect(
    found.some((one) => kept.split(', ').includes(one)),
    told,
  ).toBe(true);
  return plain;
}

const UPGRADE = {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': Buffer.alloc(16).toString('base64'),
};

describe.each(ENGINES)('over %s', (engine) => {
  const port = (): number => ports.get(engine) ?? 0;

  test.each(HTTP.filter(({ name }) => !name.startsWith('WEBSOCKET')))(
    'an answer is at most twenty times its request, compressed or a page: $name',
    async ({ name, kept, bytesOut }) => {
      const [method = '', place = ''] = name.split(' ');
      const below = BELOW[name] ?? [place.includes('…') ? 'x' : ''];
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
      for (const part of below) {
        const path = place.includes('…') ? place.replace('…', part) : `${place}${part}`;
        const { gotBytes } = await mustStaySmall(port(), { method, path, ...body }, kept);
        const most = Number(bytesOut.replaceAll(',', ''));
        if (!Number.isNaN(most)) expect(gotBytes, path).toBeLessThanOrEqual(most);
      }
    },
  );

  test('the socket of the console refuses who has not entered, in few bytes', async () => {
    const headers = { ...UPGRADE, origin: `http://127.0.0.1:${port()}` };
    const refused = await askShort(port(), { method: 'GET', path: '/inspect', headers });
    expect(refused.status).toBe(401);
    expect(refused.gotBytes).toBeLessThanOrEqual(AMPLIFICATION_MAX * refused.sentBytes);
  });

  test('every method of MCP that is answered has a row, and stays small', async () => {
    const found = new Set<string>();
    for (const leg of await legsAt(port())) {
      for (const method of METHODS) {
        const asks = leg(method, {});
        const answer = await askShort(port(), asks);
        if (isUnknown(answer)) continue;
        found.add(`MCP ${method}`);
        const row = MCP.find(({ name }) => name === `MCP ${method}`);
        expect(row, method).toBeDefined();
        // An answer that stays open is a stream; it tells nothing by itself.
        if (method !== 'subscriptions/listen') await mustStaySmall(port(), asks, row?.kept ?? '');
      }
    }
    expect(MCP.map(({ name }) => name).toSorted()).toEqual([...found].toSorted());
  });

  test('every tool that is called without a payment is answered in few bytes', async () => {
    for (const leg of await legsAt(port())) {
      for (const name of await toolNames(port(), leg)) {
        for (const input of [{}, { topic: 'b' }, { url: 'http://a.b' }]) {
          const call = { name, arguments: input };
          await mustStaySmall(port(), leg('tools/call', call), 'short, gzip');
        }
      }
    }
  });

  test('a listing is one page of every tool, in order', async () => {
    for (const leg of await legsAt(port())) {
      const { gotBytes, body } = await askShort(port(), leg('tools/list', {}));
      expect(gotBytes).toBeLessThan(80_000);
      expect(JSON.parse(body.toString('utf8')).result.nextCursor).toBeUndefined();
      const whole = await fetchJson(port(), leg('tools/list', {}));
      expect(whole.nextCursor).toBeUndefined();
      const names = whole.tools.map(({ name }: { name: string }) => name);
      expect(await toolNames(port(), leg)).toEqual(names);
      const lost = await askShort(port(), leg('tools/list', { cursor: 'nobody' }));
      expect(JSON.parse(lost.body.toString('utf8')).error.code).toBe(-32_602);
    }
  });

  test('a batch is no way around it', async () => {
    const session = await open(port(), '/v1/mcp', '2025-03-26');
    const lists = Array.from({ length: 50 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/list',
    }));
    const refused = await askShort(port(), { ...session, body: JSON.stringify(lists) });
    expect(refused.status).toBe(400);
    const name = 'oracle_sentiment-analysis';
    const params = { name, arguments: { topic: 'b' } };
    const calls = lists.map((one) => ({ ...one, method: 'tools/call', params }));
    await mustStaySmall(port(), { ...session, body: JSON.stringify(calls) }, 'gzip');
  });
});

type Leg = (method: string, params: object) => ShortRequest;

/** Texts in the sources of this server and of the SDK that may name a method. */
const METHODS = [
  ...new Set(['initialize', 'ping', ...methodsIn('src/transport/mcp'), ...sdkMethods()]),
]
  .filter((name) => !name.startsWith('notifications/'))
  .toSorted();

function methodsIn(folder: string): readonly string[] {
  return textsIn(folder).flatMap((text) => text.match(/(?<=')[a-z]+(\/[a-zA-Z_]+)+(?=')/g) ?? []);
}

function sdkMethods(): readonly string[] {
  const folder = join('node_modules', '@modelcontextprotocol', 'server', 'dist');
  const literal = /(?<=literal\(")[a-z]+(\/[a-zA-Z_]+)+(?="\))/g;
  return textsIn(folder).flatMap((text) => text.match(literal) ?? []);
}

function textsIn(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const named = files.filter((file) => file.isFile() && /\.(ts|mjs)$/.test(file.name));
  return named.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'));
}

const ACCEPT = { accept: '*/*' };
const MODERN = '2026-07-28';

/** Both addresses with a session, and the version without. */
async function legsAt(port: number): Promise<readonly Leg[]> {
  const sessions = await Promise.all(
    ['/v1/mcp', '/v2/'].map((path) => open(port, path, '2025-11-25')),
  );
  const [first, second] = sessions;
  const write = (method: string, params: object): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const within =
    (session: ShortRequest | undefined): Leg =>
    (method, params) => {
      const { 'mcp-session-id': _id, ...bare } = session?.headers ?? {};
      const headers = method === 'initialize' ? bare : (session?.headers ?? {});
      const begins = method === 'initialize' ? hello('2025-11-25') : params;
      return { method: 'POST', path: session?.path ?? '', headers, body: write(method, begins) };
    };
  const modern: Leg = (method, params) => {
    const key = 'io.modelcontextprotocol';
    const meta = {
      [`${key}/protocolVersion`]: MODERN,
      [`${key}/clientInfo`]: { name: 't', version: '1' },
      [`${key}/clientCapabilities`]: {},
    };
    const named = 'name' in params ? { 'mcp-name': String(params.name) } : {};
    const headers = { ...ACCEPT, 'mcp-protocol-version': MODERN, 'mcp-method': method, ...named };
    const body = write(method, { ...params, _meta: meta });
    return { method: 'POST', path: '/v2/', headers, body };
  };
  return [within(first), within(second), modern];
}

function hello(protocolVersion: string) {
  return { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } };
}

async function open(port: number, path: string, version: string): Promise<ShortRequest> {
  const message = { jsonrpc: '2.0', id: 0, method: 'initialize', params: hello(version) };
  const asks = { method: 'POST', path, headers: ACCEPT };
  const { head } = await askShort(port, { ...asks, body: JSON.stringify(message) });
  const id = /^mcp-session-id: (\S+)/im.exec(head)?.[1] ?? '';
  return { ...asks, headers: { ...ACCEPT, 'mcp-session-id': id } };
}

function isUnknown({ body }: Asked): boolean {
  try {
    return JSON.parse(body.toString('utf8')).error?.code === -32_601;
  } catch {
    return false;
  }
}

async function toolNames(port: number, leg: Leg): Promise<readonly string[]> {
  const names: string[] = [];
  let params = {};
  for (let page = 0; page < 50; page += 1) {
    const { body } = await askShort(port, leg('tools/list', params));
    const { tools, nextCursor: cursor } = JSON.parse(body.toString('utf8')).result;
    names.push(...tools.map(({ name }: { name: string }) => name));
    if (cursor === undefined) return names;
    params = { cursor };
  }
  throw new Error('the pages do not end');
}

async function fetchJson(port: number, { path, headers, body }: ShortRequest) {
  const init = {
    method: 'POST',
    body,
    headers: { ...headers, 'content-type': 'application/json' },
  };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, init as RequestInit);
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  return ((await answer.json()) as any).result;
}
