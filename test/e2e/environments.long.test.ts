import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeOf } from '../support/other-node.ts';
import { cleanUp, cliPath, freshDataDir, startRealServer } from '../support/real-server.ts';

// What differs between the machines and shells on which a server is started. Each variant ends in
// a server that is ready and closes, or in one line that names cause and cure.

const HANG_MS = 120_000;
const NOBODY = 65_534;
/** A user id that no name belongs to. */
const NAMELESS = 54_321;
const SERVE = 'exec "$NODE" "$CLI" serve --json --port 0 --data "$DATA"';

interface Variant {
  /** Shell commands before the server, which it inherits. */
  readonly before?: string;
  readonly flags?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Data directory below the given one. */
  readonly data?: string;
  readonly uid?: number;
  /** Makes what the variant needs. */
  readonly prepare?: (folder: string) => void;
}

let cli: string;
const started: ChildProcess[] = [];
beforeAll(async () => {
  cli = await cliPath();
}, HANG_MS);
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await cleanUp();
});

/** Starts a variant; its directory belongs to its user. */
function start(variant: Variant, node = process.execPath): ChildProcess {
  const { before = '', flags = '', env = {}, data = 'data', uid, prepare } = variant;
  const folder = freshDataDir();
  if (uid !== undefined) chownSync(folder, uid, uid);
  prepare?.(folder);
  const named = { NODE: node, CLI: cli, DATA: join(folder, data) };
  const child = spawn('/bin/sh', ['-c', `${before}\n${SERVE} ${flags}`], {
    cwd: folder,
    env: { ...process.env, ...env, ...named },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  started.push(child);
  return child;
}

/** Waits for the first line or the end. */
async function outcomeOf(child: ChildProcess) {
  const said = { out: '', errors: '' };
  child.stderr?.on('data', (chunk) => {
    said.errors += chunk;
  });
  const line = new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk) => {
      said.out += chunk;
      if (said.out.includes('\n')) resolve();
    });
  });
  const ended = once(child, 'close');
  await Promise.race([line, ended, sleep(HANG_MS, undefined, { ref: false })]);
  return { said, ended };
}

async function expectServing(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM') {
  const { said, ended } = await outcomeOf(child);
  expect(said, said.errors).toMatchObject({ out: expect.stringContaining('"ready"') });
  const { base_url: base } = JSON.parse(said.out) as { readonly base_url: string };
  expect((await fetch(`${base}/readyz`)).status).toBe(200);
  child.kill(signal);
  expect(await ended).toEqual([0, null]);
}

const READY: Readonly<Record<string, Variant>> = {
  'umask 000': { before: 'umask 000' },
  'umask 027': { before: 'umask 027' },
  'umask 077': { before: 'umask 077' },
  'a path with spaces': { data: 'a b  c' },
  'a path with umlauts': { data: 'dätä' },
  'a path with an emoji': { data: 'data-🏛' },
  'a path with quotes': { data: `it's "data"` },
  'a path with a dollar and a percent sign': { data: '$HOME %20 #1?' },
  'a path that begins with a dash': { data: '-data' },
  'a deep path': { data: Array(30).fill('deep').join('/') },
  'a symbolic link as data directory': {
    prepare: (folder) => {
      mkdirSync(join(folder, 'real'));
      symlinkSync('real', join(folder, 'data'));
    },
  },
  'a relative path': { before: 'DATA=data' },
  'no HOME': { before: 'unset HOME' },
  'a HOME that is not there': { env: { HOME: '/nonexistent' } },
  'no PATH': { before: 'unset PATH' },
  'hardly any environment': {
    before:
      'for name in $(env | cut -d= -f1); do case $name in NODE|CLI|DATA|PATH) ;; *) unset "$name" 2>/dev/null;; esac; done',
  },
  'a TMPDIR that is not there': { env: { TMPDIR: '/nonexistent' } },
  'a Turkish locale': { env: { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' } },
  'the time of Chatham': { env: { TZ: 'Pacific/Chatham' } },
  'proxies that are dead': {
    env: {
      HTTP_PROXY: 'http://127.0.0.1:9',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      ALL_PROXY: 'http://127.0.0.1:9',
      NODE_USE_ENV_PROXY: '1',
    },
  },
  'a small heap': { env: { NODE_OPTIONS: '--max-old-space-size=256' } },
  'settings of npm': {
    env: { npm_config_registry: 'http://127.0.0.1:9', npm_config_offline: 'true' },
  },
  'NODE_ENV=production': { env: { NODE_ENV: 'production' } },
  'colours forced': { env: { FORCE_COLOR: '3' } },
  'a dumb terminal': { env: { TERM: 'dumb', NO_COLOR: '1' } },
  'standard input closed': { before: 'exec <&-' },
  'standard error closed': { before: 'exec 2>&-' },
  'standard error full': { before: 'exec 2>/dev/full' },
  'the other loopback address': { flags: '--host ::1' },
  'a name of loopback': { flags: '--host localhost' },
  '256 descriptors': { before: 'ulimit -n 256' },
  'no core files': { before: 'ulimit -c 0' },
  'a low priority': { before: 'renice -n 19 $$ >/dev/null' },
  'an ordinary user': { uid: NOBODY },
  'an ordinary user with umask 077': { uid: NOBODY, before: 'umask 077' },
  'a user id without a name': { uid: NAMELESS },
};

describe.concurrent('a server is ready and closes with', { timeout: HANG_MS }, () => {
  test.each(Object.entries(READY))('%s', async (_name, variant) => {
    await expectServing(start(variant));
  });

  test.each(['22.23.3', '24.11.1'])('Node %s', async (version) => {
    await expectServing(start({}, await nodeOf(version)));
  });

  test.each(['SIGINT', 'SIGHUP'] as const)('an end by %s', async (signal) => {
    await expectServing(start({}), signal);
  });
});

const REFUSED: Readonly<Record<string, Variant & { readonly says: RegExp }>> = {
  'a file as data directory': {
    prepare: (folder) => writeFileSync(join(folder, 'data'), ''),
    says: /data/,
  },
  'a directory that may not be written': {
    uid: NOBODY,
    prepare: (folder) => chmodSync(folder, 0o555),
    says: /permission|may not|cannot be written|not writable/i,
  },
  'a directory of another user': {
    uid: NOBODY,
    prepare: (folder) => {
      mkdirSync(join(folder, 'data'), { mode: 0o700 });
      chownSync(join(folder, 'data'), NAMELESS, NAMELESS);
    },
    says: /permission|may not|belongs|not writable|cannot be/i,
  },
  'an address of another machine': { flags: '--host 203.0.113.1', says: /203\.0\.113\.1/ },
  'a host that no name leads to': { flags: '--host nowhere.invalid', says: /nowhere\.invalid/ },
  'a port that is none': { flags: '--port 70000', says: /70000/ },
  'an option that is not there': { flags: '--prot 1', says: /--port/ },
  '64 descriptors': { before: 'ulimit -n 64', says: /may open/ },
  'a setting that is none': { env: { STOA_HOSTING: 'maybe' }, says: /STOA_HOSTING/ },
};

describe.concurrent('a server says what stops it:', { timeout: HANG_MS }, () => {
  test.each(Object.entries(REFUSED))('%s', async (_name, { says, ...variant }) => {
    const child = start(variant);
    const { said, ended } = await outcomeOf(child);
    const [code] = await Promise.race([ended, sleep(HANG_MS / 2, ['serves'], { ref: false })]);
    child.kill('SIGKILL');
    expect(said.out).toBe('');
    expect(said.errors).toMatch(says);
    expect(said.errors).not.toMatch(/INTERNAL|\n {4}at /);
    expect(code).toBeGreaterThan(0);
  });

  test('a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { readonly port: number };
    const { said, ended } = await outcomeOf(start({ flags: `--port ${port}` }));
    await ended;
    expect(said.errors).toContain(String(port));
    expect(said.errors).not.toMatch(/INTERNAL|\n {4}at /);
    other.close();
  });

  test('a data directory in use', async () => {
    const server = await startRealServer(freshDataDir());
    const before = `DATA='${server.dataDir}'`;
    const { said, ended } = await outcomeOf(start({ before }));
    expect([(await ended)[0], said.out]).toEqual([1, '']);
    expect(said.errors).not.toMatch(/INTERNAL|\n {4}at /);
    await server.stop();
  });
});

describe.concurrent('a start that is ended early is repeated', { timeout: HANG_MS }, () => {
  test.each([
    ...([50, 200, 400, 800] as const).map((ms) => ['SIGTERM', ms] as const),
    ...([50, 200, 400, 800] as const).map((ms) => ['SIGKILL', ms] as const),
  ])('%s after %i ms', async (signal, ms) => {
    const dataDir = freshDataDir();
    const first = start({ before: `DATA='${dataDir}'` });
    const ended = once(first, 'close');
    await sleep(ms);
    first.kill(signal);
    await ended;
    const next = await startRealServer(dataDir);
    expect(await next.stop()).toBe(0);
  });
});
