import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import koffi from 'koffi';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer } from '../../src/connect/tour/server.ts';
import { startNodeWatchdog } from '../../src/providers/chain/node-watchdog.ts';
import { measureFolders } from '../../src/providers/hosting/local/disk/usage.ts';
import { createAuditTargets } from '../../src/providers/target/audit-targets.ts';
import { Successor } from '../../src/router/successor.ts';
import type { EngineStore } from '../../src/runtime/engine/ports.ts';
import { openEngineStore } from '../../src/store/engine/engine-store.ts';
import { watchDescriptors } from '../support/children/descriptor-watch.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Lists its own descriptors into a file; the rest is what its starter wants to hear. */
const LISTING = `
const { readdirSync, readlinkSync, writeFileSync } = require('node:fs');
const found = readdirSync('/proc/self/fd').map((fd) => {
  try { return readlinkSync('/proc/self/fd/' + fd); } catch { return ''; }
});
`;

let dir: ReturnType<typeof tempDir>;
let store: EngineStore;

/** A store that was compacted and opened again, and a file that anybody would inherit. */
beforeEach(async () => {
  dir = tempDir();
  const path = join(dir.path, 'store');
  const first = openEngineStore({ path });
  await first.compact?.({ force: true });
  await first.close();
  store = openEngineStore({ path });
  const secret = openSync(join(dir.path, 'secret'), 'w');
  expect(koffi.load(null).func('int dup(int fd)')(secret)).toBeGreaterThan(2);
});
afterEach(async () => {
  await store.close();
  dir.remove();
});

test('an audited program has nothing of the server open', async () => {
  const answer = `{jsonrpc:'2.0',id,result:{protocolVersion:'2025-06-18',capabilities:{},
    serverInfo:{name:found.join(' '),version:'1'}}}`;
  const program = `${LISTING}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line);
  if (id !== undefined) process.stdout.write(JSON.stringify(${answer}) + '\\n');
});`;
  const command = { name: 'lists', command: process.execPath, args: ['-e', program] };
  const commands = [{ ...command, isTrusted: true }];
  const targets = createAuditTargets({ allowInternal: false, commands });
  const limits = { requestsMax: 5, bytesMax: 200_000, totalMs: 60_000 };
  const target = await targets.open(
    { kind: 'mcp_stdio', name: 'lists' },
    { limits, canarySeed: 'x' },
  );
  try {
    const { greeting } = await target.connect({ deadlineMs: 60_000 });
    expect(greeting.serverInfo.name).toContain('pipe:');
    expect(greeting.serverInfo.name).not.toContain(dir.path);
  } finally {
    await target.close();
  }
});

test('the server of a tour has nothing of the tour open', async () => {
  const list = join(dir.path, 'list');
  const cli = join(dir.path, 'cli.cjs');
  writeFileSync(
    cli,
    `${LISTING} writeFileSync(${JSON.stringify(list)}, found.join(' '));
console.log(JSON.stringify({ pid: process.pid })); setInterval(() => {}, 1000);`,
  );
  const server = await startServer(cli, join(dir.path, 'data'));
  await server.kill();
  refuseStrangers(readFileSync(list, 'utf8'));
});

test('a successor of the router has nothing but its line to the router', async () => {
  const list = join(dir.path, 'list');
  const program = join(dir.path, 'router.cjs');
  writeFileSync(
    program,
    `${LISTING} writeFileSync(${JSON.stringify(list)}, found.join(' ')); process.exit(7);`,
  );
  const server = createServer().listen(0, '127.0.0.1');
  const said = await Successor.start({
    program: { node: process.execPath, program, build: 'next' },
    folder: dir.path,
    host: '127.0.0.1',
    server,
    stop: () => undefined,
    prepare: async () => undefined,
    underWay: () => ({}),
    replace: async () => undefined,
  });
  server.close();
  expect(said).toBe('the new router exited with 7');
  refuseStrangers(readFileSync(list, 'utf8'));
});

test('short helpers have nothing of their starter open', async () => {
  const watch = watchDescriptors();
  watch.follow(process.pid);
  const folder = join(dir.path, 'many');
  for (let at = 0; at < 300; at += 1) mkdirSync(join(folder, String(at), 'a'), { recursive: true });
  const nodeWatch = startNodeWatchdog(process.pid, 1);
  try {
    await expect.poll(() => watch.seen().length).toBeGreaterThan(0);
    await measureFolders([folder], new AbortController().signal);
    for (const each of watch.seen()) {
      expect([...each.open.values()].filter((target) => isOurs(target))).toEqual([]);
      expect(each.shared).toEqual([]);
    }
  } finally {
    nodeWatch.close();
    watch.stop();
  }
});

function refuseStrangers(list: string): void {
  expect(list).not.toBe('');
  expect(list.split(' ').filter(isOurs)).toEqual([]);
}

/** Files of the test other than what a program was told to write. */
function isOurs(target: string): boolean {
  return ['store', 'secret'].some((name) => target.startsWith(join(dir.path, name)));
}
