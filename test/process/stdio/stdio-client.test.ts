import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError } from '../../../src/domain/common/error.ts';
import { type DataLock, lockDataDir } from '../../../src/process/server/data-lock.ts';
import { openToken } from '../../../src/process/server/token-file.ts';
import { readLines } from '../../../src/process/stdio/lines.ts';
import { serveLocalClients } from '../../../src/process/stdio/local-server.ts';
import { type ReachedDaemon, runStdioClient } from '../../../src/process/stdio/stdio-client.ts';

const INITIALIZE = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} };
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

let dir: string;
let lock: DataLock;
let sockets: Socket[];
/** What the daemon of the moment got, and what it answers to a request. */
let got: Record<string, unknown>[];
let answers: (message: Record<string, unknown>) => boolean;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'stoa-stdio-'));
  sockets = [];
  answers = () => true;
  await startDaemon();
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await lock.release();
  rmSync(dir, { recursive: true, force: true });
});

async function startDaemon(): Promise<void> {
  got = [];
  lock = await lockDataDir(dir);
  serveLocalClients(lock, openToken(dir), () => async ({ input, output }) => {
    sockets.push(output);
    await new Promise<void>((gone) => {
      output.once('close', gone);
      readLines(input, (line) => {
        const message = JSON.parse(line);
        got.push(message);
        if (message.id === undefined || !answers(message)) return;
        output.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} })}\n`);
      });
    });
  });
}

async function killDaemon(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.destroy();
  await lock.release();
}

function startClient(token = openToken(dir).token) {
  const input = new PassThrough();
  const output = new PassThrough();
  const lines: Record<string, unknown>[] = [];
  readLines(output, (line) => lines.push(JSON.parse(line)));
  const ended = runStdioClient({
    server: 'commerce',
    input,
    output,
    reach: async () => ({ address: lock.address, token }),
  });
  return {
    send: (m: object) => input.write(`${JSON.stringify(m)}\n`),
    input,
    output,
    lines,
    ended,
  };
}

async function until(claim: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!claim()) {
    if (Date.now() > end) throw new Error('waited too long');
    await new Promise((done) => setTimeout(done, 5));
  }
}

test('requests and answers pass through, and the end of input ends the client', async () => {
  const client = startClient();
  client.send(INITIALIZE);
  client.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
  await until(() => client.lines.length === 2);
  expect(client.lines.map((line) => line['id'])).toEqual([0, 1]);
  client.input.end();
  await client.ended;
});

/** A client whose whole input comes at once. */
function pipe(text: string, answerMs = 0) {
  answers = (message) => {
    const { id } = message;
    const say = () =>
      sockets.at(-1)?.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n`);
    setTimeout(say, answerMs);
    return false;
  };
  const client = startClient();
  client.input.end(text);
  return client;
}

test('requests are answered whose input has ended before the daemon was reached', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const batch = [3, 4].map((id) => ({ ...ping, id }));
  const lines = [INITIALIZE, INITIALIZED, ping, batch].map((line) => JSON.stringify(line));
  for (const end of ['\n', '']) {
    const client = pipe(lines.slice(0, 3).join('\n') + end, 50);
    await client.ended;
    expect(client.lines.map((line) => line['id'])).toEqual([0, 1]);
  }
  const client = startClient();
  answers = () => false;
  client.input.end(`${lines[0]}\n${lines[3]}`);
  await until(() => got.some((message) => Array.isArray(message)));
  const results = [3, 4, 0].map((id) => ({ jsonrpc: '2.0', id, result: {} }));
  sockets.at(-1)?.write(`${JSON.stringify(results.slice(0, 2))}\n${JSON.stringify(results[2])}\n`);
  await client.ended;
  expect(client.lines.length).toBe(2);
});

test('what is cancelled, and a subscription, is not waited for', async () => {
  const cancelled = { method: 'notifications/cancelled', params: { requestId: 1 } };
  const client = startClient();
  answers = () => false;
  const asked = [
    { id: 1, method: 'tools/call' },
    cancelled,
    { id: 2, method: 'subscriptions/listen' },
  ];
  client.input.end(asked.map((message) => JSON.stringify(message)).join('\n'));
  await client.ended;
  expect(client.lines).toEqual([]);
});

test('a daemon that dies behind the end of the input is replaced, and answers', async () => {
  answers = () => false;
  const client = startClient();
  client.input.end(JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call' }));
  await until(() => got.length === 1);
  await killDaemon();
  answers = () => true;
  await startDaemon();
  await client.ended;
  expect(client.lines.map((line) => line['id'])).toEqual([5]);
});

test('what the daemon asks of a client whose input has ended is refused for it', async () => {
  answers = () => false;
  const client = startClient();
  client.input.end(JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call' }));
  await until(() => got.length === 1);
  sockets.at(-1)?.write('{"jsonrpc":"2.0","id":"ask","method":"elicitation/create"}\n');
  await until(() => got.length === 2);
  expect(got[1]).toMatchObject({ id: 'ask', error: { code: -32_000 } });
  sockets.at(-1)?.write('{"jsonrpc":"2.0","id":5,"result":{}}\n');
  await client.ended;
  expect(client.lines.map((line) => line['id'])).toEqual([5]);
});

test('a client that takes no more answers ends, whatever is open', async () => {
  answers = () => false;
  const client = startClient();
  client.send({ jsonrpc: '2.0', id: 5, method: 'tools/call' });
  await until(() => got.length === 1);
  client.output.destroy();
  await client.ended;
});

test('a wrong token is refused and nothing is served', async () => {
  const client = startClient('0'.repeat(64));
  await expect(client.ended).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(got).toEqual([]);
});

/** A client whose daemon cannot be had. */
function startLost(reach: () => Promise<ReachedDaemon>) {
  const input = new PassThrough();
  const output = new PassThrough();
  const lines: Record<string, unknown>[] = [];
  readLines(output, (line) => lines.push(JSON.parse(line)));
  const ended = runStdioClient({ server: 'commerce', input, output, reach });
  ended.catch(() => undefined);
  return { send: (m: object) => input.write(`${JSON.stringify(m)}\n`), lines, ended };
}

test('every open request is answered with the reason why there is no daemon', async () => {
  const message = 'STOA_X is 7; it must be 1 to 5.';
  const client = startLost(async () => {
    await new Promise((done) => setTimeout(done, 20));
    throw new AppError('CONFIG_INVALID', { message });
  });
  client.send(INITIALIZE);
  client.send({ jsonrpc: '2.0', id: 'later', method: 'ping' });
  await expect(client.ended).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  const error = { message: `CONFIG_INVALID: ${message}`, data: { error: 'CONFIG_INVALID' } };
  expect(client.lines).toMatchObject([
    { id: 0, error },
    { id: 'later', error },
  ]);
});

test('a request that comes after the failure is answered with it too', async () => {
  const client = startLost(() => Promise.reject(new Error('EACCES')));
  setTimeout(() => client.send(INITIALIZE), 200);
  await expect(client.ended).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(client.lines).toMatchObject([{ id: 0, error: { code: -32_000 } }]);
});

test('a daemon that takes a client and then fails to start says why, and is not tried again', async () => {
  const { token } = openToken(dir);
  await killDaemon();
  lock = await lockDataDir(dir);
  let attempts = 0;
  const client = startLost(async () => {
    attempts += 1;
    const failure = new Promise<AppError>((done) => {
      setTimeout(() => void lock.release(), 20);
      setTimeout(() => done(new AppError('CHAIN_UNAVAILABLE')), 60);
    });
    return { address: lock.address, token, failure };
  });
  client.send(INITIALIZE);
  await expect(client.ended).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  expect(client.lines).toMatchObject([{ id: 0, error: { data: { error: 'CHAIN_UNAVAILABLE' } } }]);
  expect(attempts).toBe(1);
  await startDaemon();
});

test('a killed daemon is replaced: handshake repeated unseen, open requests sent again', async () => {
  const client = startClient();
  client.send(INITIALIZE);
  await until(() => client.lines.length === 1);
  client.send(INITIALIZED);
  answers = (message) => message['method'] !== 'tools/call';
  client.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: {} });
  await until(() => got.length === 3);
  await killDaemon();
  answers = () => true;
  await startDaemon();
  await until(() => client.lines.length === 2);
  expect(client.lines.map((line) => line['id'])).toEqual([0, 7]);
  expect(got.map((message) => message['method'])).toEqual([
    'initialize',
    'notifications/initialized',
    'tools/call',
  ]);
  client.input.end();
  await client.ended;
});

test('the daemon hears when its last local client has gone', async () => {
  await killDaemon();
  lock = await lockDataDir(dir);
  let gone = 0;
  const clients = serveLocalClients(lock, openToken(dir), () => async ({ output }) => {
    await new Promise((closed) => output.once('close', closed));
  });
  clients.onLastGone(() => {
    gone += 1;
  });
  const [one, two] = [startClient(), startClient()];
  await until(() => clients.count() === 2);
  one.input.end();
  await one.ended;
  await until(() => clients.count() === 1);
  expect(gone).toBe(0);
  two.input.end();
  await two.ended;
  await until(() => gone === 1);
});
