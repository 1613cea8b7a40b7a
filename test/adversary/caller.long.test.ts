import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDescriptorBudget } from '../../src/process/server/descriptor-limits.ts';
import { listenExclusively } from '../../src/process/server/own-port.ts';
import { ConsoleCookies } from '../../src/transport/console/console-cookies.ts';
import { chooseHost } from '../../src/transport/http/choose-host.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { ENGINES } from '../support/engines.ts';
import { healthAt } from '../support/few-descriptors.ts';
import { type FrontRig, startFront, systemRandom, TOKEN } from '../support/front-rig.ts';
import { HAS_IPV6 } from '../support/loopback.ts';
import { sendRaw } from '../support/raw-http.ts';
import { realClock } from '../support/real-clock.ts';
import { type Attempt, search, searchMs } from './search.ts';

/** Connections that a front here takes: few, so that an attempt can be more. */
const CONNECTIONS_MAX = 12;
/** Tries of the honest client before it counts as shut out. */
const TRIES_MAX = 120;
const PATHS = ['/v1/mcp', '/v2/', '/hosting/mcp', '/healthz', '/console/', '/console/link', '/x'];
const PLACES = ['127.0.0.1', 'localhost', '0.0.0.0', ...(HAS_IPV6 ? ['::1', '::'] : [])];

const rigs = new Map<HttpEngine, FrontRig>();

beforeAll(async () => {
  for (const engine of ENGINES) {
    const descriptors = createDescriptorBudget(() => undefined);
    const connections = { connectionsMax: CONNECTIONS_MAX, headMs: 2_000, lookMs: 200 };
    rigs.set(engine, await startFront(engine, { descriptors, connections }));
  }
});

afterAll(async () => {
  for (const { front } of rigs.values()) await front.close();
});

/** What a caller may do. Each throws when it did damage. */
const ATTACKS = [playNames, playCookies, playConnections, playBodies, playSecondServer];

test('hostile callers', { timeout: searchMs() + 120_000 }, async () => {
  const played = await search('caller', async (attempt) => {
    const engine = attempt.pick(ENGINES);
    const rig = rigs.get(engine);
    if (rig === undefined) throw new Error(`no front over ${engine}`);
    await attempt.pick(ATTACKS)(attempt, rig);
    await checkHonest(rig);
  });
  expect(played).toBeGreaterThan(ATTACKS.length);
});

/** Somebody who asks for health, over a new connection. */
async function checkHonest({ port }: FrontRig): Promise<void> {
  await heard(async () => ((await healthAt(port)) === 200 ? true : undefined));
}

/** Asks again, for a bounded time, when a connection is refused: an attempt before may linger. */
async function heard<Answer>(ask: () => Promise<Answer | undefined>): Promise<Answer> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((done) => setTimeout(done, 250));
  }
  throw new Error('nobody is answered any more');
}

/** Only the server's own names and pages are let in, whatever resembles them. */
async function playNames(attempt: Attempt, { port }: FrontRig): Promise<void> {
  const names = ['127.0.0.1', 'localhost', '[::1]'];
  const hosts = new Set(names.flatMap((name) => [name, `${name}:${port}`]));
  const origins = new Set(names.map((name) => `http://${name}:${port}`));
  const host = damaged(attempt, `${attempt.pick(names)}:${port}`);
  const origin = damaged(attempt, `http://${attempt.pick(names)}:${port}`);
  const head = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nConnection: close\r\n\r\n`;
  const { text, statuses } = await heard(async () => {
    const answer = await sendRaw(port, [head], 2_000);
    return answer.statuses.length > 0 ? answer : undefined;
  });
  const isOwnHost = hosts.has(host.trim().toLowerCase());
  const isOwnPage = origins.has(origin.trim());
  const isAnswered = statuses.includes(200);
  const mayRead = /^access-control-allow-origin/im.test(text);
  if ((isAnswered && !isOwnHost) || ((isAnswered || mayRead) && !isOwnPage)) {
    throw new Error(`let in: ${JSON.stringify({ host, origin })}`);
  }
  if (!isAnswered && isOwnHost && isOwnPage) throw new Error(`shut out: ${JSON.stringify(host)}`);
}

/** One or more changes to a name, of the kinds that readers of addresses disagree about. */
function damaged(attempt: Attempt, text: string): string {
  let changed = text;
  for (let left = attempt.integer(0, 2); left > 0; left -= 1) {
    const at = attempt.integer(0, changed.length);
    changed = attempt.pick([
      () => changed.replace(/:\d+$/, `:${attempt.integer(1, 65_535)}`),
      () => changed.replace(/:\d+$/, ''),
      () => changed.replace(/^http:/, attempt.pick(['https:', 'ws:', 'HTTP:', 'file:'])),
      () => changed.replace(/(:\d+)?$/, (port) => `${attempt.pick(['.', '%', '..'])}${port}`),
      () => changed.toUpperCase(),
      () => `${changed}${attempt.pick(['/', '.', '@a', ', b', '.evil.example', ':1', ' ', '#'])}`,
      () =>
        changed.slice(0, at) +
        attempt.pick(['.', ':', '@', '/', '[', ']', '%', ',', '0x', '-']) +
        changed.slice(at),
      () => changed.slice(0, at) + changed.slice(at + 1),
    ])();
  }
  return changed;
}

/** Cookies of strangers neither open the console nor keep its owner out. */
function playCookies(attempt: Attempt): void {
  const key = Buffer.from(attempt.hex(32), 'hex');
  const parts = { clock: realClock, random: systemRandom, isSecure: attempt.pick([true, false]) };
  const cookies = new ConsoleCookies({ ...parts, key });
  const [good = ''] = cookies.issue().split(';');
  const [, value = ''] = good.split('=');
  const stranger = new ConsoleCookies({ ...parts, key: Buffer.alloc(32, attempt.integer(0, 255)) });
  const forged = () =>
    attempt.pick([
      () => `${cookies.name}=${attempt.hex(attempt.integer(0, 40))}`,
      () => `${cookies.name}=${value.slice(0, -1)}${value.endsWith('A') ? 'B' : 'A'}`,
      () => `${cookies.name}=${value.replace(/\d/, '9')}x`,
      () => `stoa_console=${value}`,
      () => `${cookies.name}=${(stranger.issue().split(';')[0] ?? '').split('=')[1]}`,
    ])();
  const jar = Array.from({ length: attempt.size }, forged);
  const read = (pairs: readonly string[]) =>
    cookies.read({
      method: 'GET',
      path: '/',
      query: '',
      peerAddress: '',
      remoteAddress: '',
      headers: pairs.length === 0 ? [] : ['cookie', pairs.join('; ')],
    });
  if (read(jar) !== undefined) throw new Error(`a stranger is in: ${jar.join('; ')}`);
  const mixed = jar.toSpliced(attempt.integer(0, jar.length), 0, good);
  if (read(mixed) === undefined) throw new Error(`the owner is out: ${mixed.join('; ')}`);
}

/** Connections that say nothing, too little or too slowly leave room for those that ask. */
async function playConnections(attempt: Attempt, rig: FrontRig): Promise<void> {
  const { port } = rig;
  const beginnings = ['', 'G', 'GET / HTTP/1.1\r\n', 'POST /v1/mcp HTTP/1.1\r\nHost: a\r\n'];
  const sockets: Socket[] = [];
  for (let left = attempt.size + CONNECTIONS_MAX; left > 0; left -= 1) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    const beginning = attempt.pick(beginnings);
    if (beginning !== '') socket.write(beginning);
    sockets.push(socket);
  }
  try {
    await checkHonest(rig);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** No body brings a fault of the server to light. */
async function playBodies(attempt: Attempt, { baseUrl }: FrontRig): Promise<void> {
  const body = attempt.pick([
    () => JSON.stringify(madeValue(attempt, attempt.size)),
    () => `${'['.repeat(attempt.size * 50)}${']'.repeat(attempt.size * 50)}`,
    () => `{${Array.from({ length: attempt.size }, () => `"id":${attempt.hex(1)}`).join(',')}}`,
    () => JSON.stringify({ jsonrpc: '2.0', id: madeValue(attempt, 3), ...madeCall(attempt) }),
    () => attempt.hex(attempt.size),
  ])();
  const url = `${baseUrl}${attempt.pick(PATHS)}`;
  const request = {
    method: attempt.pick(['POST', 'PUT', 'DELETE', 'PATCH']),
    headers: {
      connection: 'close',
      'content-type': attempt.pick(['application/json', 'text/plain', 'application/xml']),
      accept: attempt.pick(['application/json, text/event-stream', '*/*', 'x']),
      ...attempt.pick([{}, { authorization: `Bearer ${TOKEN}` }, { authorization: 'Basic x' }]),
      ...attempt.pick([{}, { 'mcp-session-id': attempt.hex(16) }]),
    },
    body,
  };
  const { status, text } = await heard(async () => {
    const signal = AbortSignal.timeout(20_000);
    const answer = await fetch(url, { ...request, signal }).catch(() => undefined);
    if (answer === undefined) return undefined;
    return { status: answer.status, text: await answer.text() };
  });
  const isFault = status >= 500 || /"INTERNAL"|\n +at /.test(text);
  if (isFault) throw new Error(`${status} for ${body.slice(0, 500)}: ${text.slice(0, 500)}`);
}

function madeCall(attempt: Attempt): Record<string, unknown> {
  const method = attempt.pick(['initialize', 'tools/call', 'tools/list', 'ping', '', 'x/y']);
  return { method, params: madeValue(attempt, attempt.size) };
}

function madeValue(attempt: Attempt, size: number): unknown {
  const isLeaf = size <= 1 || attempt.random() < 0.2;
  if (isLeaf) {
    return attempt.pick([
      null,
      true,
      -0,
      1e308,
      2 ** 53 + 1,
      '',
      '__proto__',
      '\ud800',
      'name',
      {},
    ]);
  }
  const inner = () => madeValue(attempt, Math.floor(size / 2));
  const keys = ['name', 'arguments', '_meta', '__proto__', 'constructor', 'id', attempt.hex(4)];
  return attempt.pick([
    () => Array.from({ length: attempt.integer(1, 4) }, inner),
    () => Object.fromEntries(keys.slice(attempt.integer(0, 5)).map((key) => [key, inner()])),
  ])();
}

/** A port that is served has no second server, whatever its engine and address. */
async function playSecondServer(attempt: Attempt, { port }: FrontRig): Promise<void> {
  const engine = attempt.pick(ENGINES);
  const host = attempt.pick(PLACES);
  const second = chooseHost(engine, '127.0.0.1', {
    clock: realClock,
    routes: [],
    streamWaitingBytesMax: 1_024,
  });
  try {
    await listenExclusively({ host, port }, async () => ({
      port: await second.listen(host, port),
    }));
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === 'PORT_IN_USE') return;
    throw thrown;
  } finally {
    await second.close(0);
  }
  throw new Error(`a second server listens at ${host} over ${engine}`);
}
