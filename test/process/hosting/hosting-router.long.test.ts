import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Route } from '../../../src/domain/hosting/routes.ts';
import {
  type HostingRouter,
  openHostingRouter,
} from '../../../src/process/hosting/hosting-router.ts';
import { ROUTER_FILES } from '../../../src/router/router-files.ts';
import { built } from '../../support/built.ts';
import { endRouter } from '../../support/hosting/end-router.ts';
import { tempDir } from '../../support/temp-dir.ts';

const TIMEOUT = { timeout: 120_000 };
let dir: ReturnType<typeof tempDir>;
let folder: string;
let routers: HostingRouter[];
let server: Server;
let port: number;
/** Answers to /slow that the test ends. */
let held: ServerResponse[];

beforeAll(async () => {
  await built();
}, 240_000);

beforeEach(async () => {
  dir = tempDir();
  folder = join(dir.path, 'router');
  routers = [];
  held = [];
  server = createServer((asked, answer) => {
    if (asked.url === '/slow') held.push(answer);
    else answer.end('here');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  port = (server.address() as { port: number }).port;
});
afterEach(async () => {
  for (const router of routers) await router.close();
  await endRouter(folder);
  server.close();
  dir.remove();
});

async function open(at = 0, build = 'one'): Promise<HostingRouter> {
  const notice = (): void => undefined;
  const router = await openHostingRouter({ folder, port: at, build, notice });
  routers.push(router);
  return router;
}

function route(): Route {
  const instances = [{ id: 'one', address: '127.0.0.1', port }];
  return { serviceId: 'srv-1', hosts: ['a.localhost'], to: { kind: 'instances', instances } };
}

/** Status of an answer, 0 where nobody answers. */
function ask(at: number, agent?: Agent, path = '/'): Promise<number> {
  return new Promise((done) => {
    const headers = { host: 'a.localhost' };
    const asked = request({ host: '127.0.0.1', port: at, path, headers, agent });
    asked.on('response', (answer) => {
      // With the end of the answer: its connection can take the next request then.
      answer.resume().once('end', () => done(answer.statusCode ?? 0));
      answer.once('error', () => done(0));
    });
    asked.on('error', () => done(0)).end();
  });
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('waited too long');
    await new Promise((done) => setTimeout(done, 50));
  }
}

test('a router goes on without its daemon, and the next daemon takes it', TIMEOUT, async () => {
  const first = await open();
  await first.replaceRoutes([route()]);
  const { pid, port: at } = first;
  await first.close();
  expect(await ask(at)).toBe(200);
  const second = await open();
  expect([second.pid, second.port]).toEqual([pid, at]);
  await second.replaceRoutes([]);
  expect(await ask(at)).toBe(404);
});

test(
  'a router that is killed is there again, on its port and with its routes',
  TIMEOUT,
  async () => {
    const router = await open();
    await router.replaceRoutes([route()]);
    const { pid, port: at } = router;
    const isNew = new Promise<void>((done) => router.onReplaced(done));
    process.kill(pid, 'SIGKILL');
    await isNew;
    expect([router.port, router.pid === pid]).toEqual([at, false]);
    expect(await ask(at)).toBe(200);
  },
);

test(
  'a router of another build is replaced under load: no request fails, and each has its row',
  TIMEOUT,
  async () => {
    const first = await open();
    await first.replaceRoutes([route()]);
    const { pid, port: at } = first;
    const statuses: number[] = [];
    let isOver = false;
    const load = async (): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (!isOver) statuses.push(await ask(at, agent));
      agent.destroy();
    };
    const clients = Array.from({ length: 8 }, load);
    await until(() => statuses.length > 100);
    await first.close();
    const second = await open(0, 'two');
    expect([second.port, second.pid === pid]).toEqual([at, false]);
    const answered = statuses.length;
    await until(() => !isAlive(pid));
    await until(() => statuses.length > answered + 100);
    isOver = true;
    await Promise.all(clients);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    await until(() => rowCount() >= statuses.length);
    expect(rowCount()).toBe(statuses.length);
  },
);

test('what a replaced router still holds goes by the table of its successor', TIMEOUT, async () => {
  const first = await open();
  await first.replaceRoutes([route()]);
  const { pid, port: at } = first;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await ask(at, agent)).toBe(200);
  const slow = ask(at, undefined, '/slow');
  await until(() => held.length === 1);
  await first.close();
  const second = await open(0, 'two');
  await until(async () => (await second.countUnfinished('one')) === 1);
  await second.replaceRoutes([]);
  // On its connection of before, the last answer of it.
  expect(await ask(at, agent)).toBe(404);
  agent.destroy();
  expect(isAlive(pid)).toBe(true);
  for (const answer of held) answer.end();
  expect(await slow).toBe(200);
  await until(async () => (await second.countUnfinished('one')) === 0);
  await until(() => !isAlive(pid));
});

test('after a restart of the machine no port of before is asked', TIMEOUT, async () => {
  const router = await open();
  await router.replaceRoutes([route()]);
  await router.close();
  await endRouter(folder);
  writeFileSync(join(folder, ROUTER_FILES.boot), 'another start');
  expect(await ask((await open()).port)).toBe(404);
});

test('a router ends when its folder is gone, and does not make it again', TIMEOUT, async () => {
  const router = await open();
  await router.replaceRoutes([route()]);
  const { pid } = router;
  await router.close();
  rmSync(folder, { recursive: true });
  await until(() => !isAlive(pid));
  expect(existsSync(folder)).toBe(false);
});

test('a router on another port than is wanted is replaced', TIMEOUT, async () => {
  const first = await open();
  const { pid, port: before } = first;
  await first.close();
  const free = await freePort();
  const second = await open(free);
  expect(second.port).toBe(free);
  expect(second.pid).not.toBe(pid);
  expect(await ask(before)).toBe(0);
});

test('a port that is taken is told with its owner and the flag to pass', TIMEOUT, async () => {
  await expect(openHostingRouter({ folder, port, notice: () => undefined })).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    data: { port, pid: process.pid },
    message: expect.stringMatching(/ Pass `--router-port \d+` or `--router-port 0`/),
  });
});

test('a folder whose name is longer than a socket’s has a router too', TIMEOUT, async () => {
  folder = join(dir.path, 'long'.repeat(30), 'router');
  const router = await open();
  await router.replaceRoutes([route()]);
  expect(await ask(router.port)).toBe(200);
});

/** Rows of answered requests that are on disk. */
function rowCount(): number {
  const spool = join(folder, ROUTER_FILES.spool);
  const texts = readdirSync(spool).map((name) => readFileSync(join(spool, name), 'utf8'));
  return texts.join('').split('\n').length - 1;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as { port: number };
      probe.close(() => done(free));
    });
  });
}
