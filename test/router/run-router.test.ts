import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Route, RouteTable } from '../../src/domain/hosting/routes.ts';
import { parseRequestRow } from '../../src/domain/hosting/telemetry/request-row.ts';
import { RequestSpool, SPOOL_FILE_BYTES, SPOOL_FILES_MAX } from '../../src/router/request-spool.ts';
import { ROUTER_FILES } from '../../src/router/router-files.ts';
import { type RunningRouter, runRouter } from '../../src/router/run-router.ts';

let folder: string;
let running: RunningRouter | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stoa-router-'));
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function run(): Promise<RunningRouter> {
  running = await runRouter({ folder, host: '127.0.0.1', port: 0, now: () => Date.now() });
  return running;
}

/** Sends one line; gives the line that answers it. */
function order(line: string): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((done, fail) => {
    const socket = connect(join(folder, ROUTER_FILES.control));
    socket.once('error', fail);
    createInterface({ input: socket }).once('line', (text) => {
      socket.destroy();
      done(JSON.parse(text));
    });
    socket.write(`${line}\n`);
  });
}

function tableOf(version: number, port: number): RouteTable {
  const instances = [{ id: 'one', address: '127.0.0.1', port }];
  const route: Route = {
    serviceId: 'srv-1',
    hosts: ['a.localhost'],
    to: { kind: 'instances', instances },
  };
  return { version, routes: [route] };
}

test('a table is in force when its order is answered, and again after a restart', async () => {
  const server = createServer((_, answer) => answer.end('here'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  const { port } = server.address() as { port: number };
  const get = (to: number): Promise<string> => {
    return new Promise((done, fail) => {
      const call = request({ host: '127.0.0.1', port: to, headers: { host: 'a.localhost' } });
      call.on('error', fail).on('response', (answer) => {
        let text = '';
        answer.on('data', (piece) => (text += String(piece))).on('end', () => done(text));
      });
      call.end();
    });
  };
  const first = await run();
  const table = tableOf(1, port);
  expect(await order(JSON.stringify({ do: 'routes', table }))).toMatchObject({
    ok: true,
    version: 1,
  });
  expect(await get(first.port)).toBe('here');
  expect(await order(JSON.stringify({ do: 'routes', table }))).toEqual({
    ok: false,
    why: 'version 1 is not newer than 1',
  });
  await first.stop();
  const second = await run();
  expect(await get(second.port)).toBe('here');
  const state = await order('{"do":"state"}');
  expect(state).toMatchObject({ ok: true, version: 1, pid: process.pid, port: second.port });
  expect(await order('{"do":"stop"}')).toEqual({ ok: true });
  await second.ended;
  const files = readdirSync(join(folder, ROUTER_FILES.spool)).sort();
  const lines = files.flatMap((name) =>
    readFileSync(join(folder, ROUTER_FILES.spool, name), 'utf8')
      .trim()
      .split('\n'),
  );
  expect(lines.map((line) => parseRequestRow(line))).toMatchObject([
    { resource: 'srv-1', instance: 'one', status: 200, bytes: 4 },
    { resource: 'srv-1', instance: 'one', status: 200, bytes: 4 },
  ]);
  server.close();
});

test('orders that are none are told why, and change nothing', async () => {
  await run();
  const wrong = [
    'no json',
    '{"do":"dance"}',
    JSON.stringify({ do: 'routes', table: { version: 1, routes: [{ serviceId: 'x' }] } }),
    JSON.stringify({ do: 'routes', table: { ...tableOf(1, 1), extra: 1 } }),
    JSON.stringify({ do: 'routes', table: tableOf(1, 0) }),
    JSON.stringify({ do: 'replace', node: 'node', program: '/p', build: 'b' }),
    JSON.stringify({ do: 'replace', node: '/node', program: '/p' }),
  ];
  for (const line of wrong) {
    expect(await order(line), line).toMatchObject({ ok: false, why: expect.any(String) });
  }
  expect(await order('{"do":"state"}')).toMatchObject({ version: 0 });
});

test('a program that does not take over is told, and the router goes on', async () => {
  await run();
  const program = { node: join(folder, 'none'), program: '/none', build: 'next' };
  expect(await order(JSON.stringify({ do: 'replace', ...program }))).toMatchObject({
    ok: false,
    why: expect.stringContaining('ENOENT'),
  });
  const ending = { node: process.execPath, program: join(folder, 'none.js'), build: 'next' };
  expect(await order(JSON.stringify({ do: 'replace', ...ending }))).toMatchObject({
    ok: false,
    why: 'the new router exited with 1',
  });
  expect(await order('{"do":"state"}')).toMatchObject({ ok: true, pid: process.pid });
}, 60_000);

test('only its user can give orders', async () => {
  await run();
  expect(statSync(join(folder, ROUTER_FILES.control)).mode & 0o077).toBe(0);
});

test('a table that was spoiled on disk, and a port that is taken, are said at the start', async () => {
  writeFileSync(join(folder, ROUTER_FILES.routes), '{"version":1');
  await expect(run()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  rmSync(join(folder, ROUTER_FILES.routes));
  const { port } = await run();
  const other = mkdtempSync(join(tmpdir(), 'stoa-router-'));
  const again = runRouter({ folder: other, host: '127.0.0.1', port, now: () => Date.now() });
  await expect(again).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  rmSync(other, { recursive: true, force: true });
});

test('a spool that nobody reads stays bounded, and loses its oldest file first', async () => {
  const spool = new RequestSpool(folder, 1);
  const path = 'p'.repeat(4_000);
  const row = {
    at: 1,
    resource: 'srv-1',
    host: 'a',
    method: 'GET',
    path,
    status: 200,
    ms: 1,
    bytes: 1,
  };
  const rows = Math.ceil(SPOOL_FILE_BYTES / 4_000);
  for (let file = 0; file < SPOOL_FILES_MAX + 3; file += 1) {
    for (let count = 0; count < rows; count += 1) spool.add(row);
    await spool.flush();
  }
  const names = readdirSync(folder).sort();
  expect(names).toHaveLength(SPOOL_FILES_MAX);
  expect(names[0]).toBe('requests-0000000000001-000004.jsonl');
  expect(spool.dropped).toBe(0);
});
