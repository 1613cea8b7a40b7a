import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Layout, openLayout } from '../../../../../src/providers/hosting/local/layout.ts';
import {
  detectNetwork,
  openFirewall,
} from '../../../../../src/providers/hosting/local/network/firewall.ts';
import { systemClock } from '../../../../../src/runtime/timer/clock.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const apart = test.skipIf(detectNetwork() === 'none');
const TIMEOUT = { timeout: 120_000 };
const ALPHA = { workspaceId: 'alpha', isStore: false };
const STORE = { workspaceId: 'alpha', isStore: true };

let dir: ReturnType<typeof tempDir>;
let layout: Layout;
let closing: AbortController;
let isNeeded = false;
let ours: Server;
let port: number;
const started: (() => void)[] = [];

beforeEach(async () => {
  dir = tempDir();
  chmodSync(dir.path, 0o755);
  layout = openLayout(join(dir.path, 'hosting'));
  closing = new AbortController();
  isNeeded = false;
  ours = createServer((socket) => socket.end('ours'));
  ours.listen(0, '127.0.0.1');
  await new Promise((done) => ours.once('listening', done));
  port = (ours.address() as { port: number }).port;
});
afterEach(() => {
  isNeeded = false;
  for (const end of started.splice(0)) end();
  closing.abort();
  ours.close();
  dir.remove();
});

apart('a hosted user reaches its own ports and nobody else’s', TIMEOUT, async () => {
  const firewall = open();
  firewall.admit('srv-a', ALPHA);
  firewall.admit('srv-b', ALPHA);
  const own = await listenAs('srv-a');
  expect(await callAs('srv-a', '127.0.0.1', own)).toBe('hosted');
  expect(await callAs('srv-b', '127.0.0.1', own)).toBe('');
  expect(await callAs('srv-a', '127.0.0.1', port)).toBe('');
  expect(await call([], '127.0.0.1', port)).toBe('ours');
  expect(await call([], '127.0.0.1', own)).toBe('hosted');
  expect(await callAs('srv-a', '169.254.169.254', 80)).toBe('');
  expect(await callAs('srv-a', '::1', port)).toBe('');
});

apart('a store answers services of its workspace, whatever port it is on', TIMEOUT, async () => {
  const firewall = open();
  firewall.admit('srv-a', ALPHA);
  firewall.admit('srv-b', { ...ALPHA, workspaceId: 'beta' });
  firewall.admit('red-a', STORE);
  const store = await listenAs('red-a');
  expect(await callAs('srv-a', '127.0.0.1', store)).toBe('hosted');
  expect(await callAs('srv-b', '127.0.0.1', store)).toBe('');
});

apart('an operator opens what else is to be reached', TIMEOUT, async () => {
  const firewall = open([{ range: '127.0.0.0/8', port }]);
  firewall.admit('srv-a', ALPHA);
  expect(await callAs('srv-a', '127.0.0.1', port)).toBe('ours');
});

apart('rules that somebody took away are put back', TIMEOUT, async () => {
  open().admit('srv-a', ALPHA);
  spawnSync('nft', ['delete', 'table', 'inet', table()]);
  await expect.poll(() => isInForce(), { timeout: 60_000 }).toBe(true);
  expect(await callAs('srv-a', '127.0.0.1', port)).toBe('');
});

apart('rules outlive the server while programs run, and go with the last one', TIMEOUT, () => {
  open();
  isNeeded = true;
  closing.abort();
  expect(isInForce()).toBe(true);
  closing = new AbortController();
  isNeeded = false;
  open();
  closing.abort();
  expect(isInForce()).toBe(false);
});

apart('rules of a folder that is gone are swept by the next server', TIMEOUT, () => {
  isNeeded = true;
  const gone = openLayout(join(dir.path, 'gone'));
  openFirewall({ ...parts(), layout: gone });
  rmSync(gone.root, { recursive: true });
  open();
  expect(isInForce(`stoa_${gone.users.name}`)).toBe(false);
});

apart('two folders on one machine have no user in common', () => {
  mkdirSync(join(dir.path, 'other'));
  const other = openLayout(join(dir.path, 'other'));
  const [one, two] = [layout.assignUid('srv-a'), other.assignUid('srv-a')];
  expect(one).toBeGreaterThan(layout.users.first);
  expect(one).toBeLessThanOrEqual(layout.users.last);
  expect(two < layout.users.first || two > layout.users.last).toBe(true);
  expect(openLayout(layout.root).users).toEqual(layout.users);
});

function open(reach: Parameters<typeof openFirewall>[0]['reach'] = []) {
  return openFirewall({ ...parts(), reach });
}

function parts() {
  const { signal } = closing;
  return { layout, reach: [], clock: systemClock(), closing: signal, isNeeded: () => isNeeded };
}

function table(): string {
  return `stoa_${layout.users.name}`;
}

function isInForce(name = table()): boolean {
  return spawnSync('nft', ['list', 'chain', 'inet', name, 'out']).status === 0;
}

function asUser(id: string): readonly string[] {
  const uid = String(layout.assignUid(id));
  return ['setpriv', '--reuid', uid, '--regid', uid, '--clear-groups', '--no-new-privs'];
}

/** Listens as a hosted user, and gives the port. */
async function listenAs(id: string): Promise<number> {
  const script =
    'use IO::Socket::INET; $| = 1;' +
    '$s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die; print $s->sockport;' +
    'while ($c = $s->accept) { print $c "hosted"; close $c }';
  const [program, ...args] = [...asUser(id), '/usr/bin/perl', '-e', script];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(() => child.kill('SIGKILL'));
  return new Promise((done) => {
    child.stdout.once('data', (text: Buffer) => done(Number(text)));
  });
}

function callAs(id: string, host: string, at: number): Promise<string> {
  return call(asUser(id), host, at);
}

/** What a program hears that connects; nothing where it hears nothing. */
function call(user: readonly string[], host: string, at: number): Promise<string> {
  const script =
    'use IO::Socket::IP; $c = IO::Socket::IP->new(PeerHost => $ARGV[0], PeerPort => $ARGV[1],' +
    ' Timeout => 2) or exit 0; print scalar <$c>;';
  const [program, ...args] = [...user, '/usr/bin/perl', '-e', script, host, String(at)];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((done) => {
    let text = '';
    child.stdout.on('data', (piece: Buffer) => {
      text += piece;
    });
    child.once('close', () => done(text));
  });
}
