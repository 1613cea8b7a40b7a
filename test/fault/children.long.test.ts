import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  listingPrograms,
  type SeenProcess,
  unsealed,
  watchDescriptors,
} from '../support/children/descriptor-watch.ts';
import { type HostingClient, hostingClient, program } from '../support/hosting/hosting-client.ts';
import { hostingServer } from '../support/hosting/real-hosting.ts';
import { repository, serverSource } from '../support/hosting/sources.ts';
import { cleanUp, until } from '../support/real-server.ts';

/** Servers of databases are fetched first. */
const isLong = process.env['STOA_LONG'] === 'all';
const TIMEOUT = { timeout: 600_000 };
const STARTED = [
  ...['git', 'prlimit', 'chown', 'du', 'rm', 'fallocate', 'nft', 'setpriv', 'unshare', 'buildah'],
  ...['npm', 'tar', 'nice', 'setsid', 'ps', 'node', 'xz', 'ar'],
];

/** Every kind of child, by its command line, and the files that it opens itself. */
const KINDS: Readonly<Record<string, { readonly line: RegExp; readonly own: RegExp }>> = {
  'the chain node': { line: /anvil .*--chain-id/, own: /^$/ },
  'its watcher': { line: /stoa-chain-watch/, own: /^$/ },
  'the watcher asleep': { line: /^(?:cat|sleep \d+)$/, own: /^$/ },
  'the router': { line: / router --folder /, own: /\/hosting\/router\// },
  'a shim': { line: /^\/bin\/(?:ba)?sh -c .*trap : TERM/s, own: /\/runs\/[^/]+\/pipe$/ },
  'a step of a shim': { line: /^(?:env|sh|dd|stat|sleep|mkfifo|mv|fallocate) /, own: /\/runs\// },
  'the writer of a log': { line: /^\/usr\/bin\/perl -e .*giveBack/s, own: /\/runs\// },
  'a view of the disk': {
    line: /^(?:unshare|setpriv|prlimit|perl|setsid|mount|mkdir|sh) /,
    own: /^$/,
  },
  'a command of a tenant': { line: /^\/bin\/sh -c /, own: /^$/ },
  'a hosted program': { line: /^node server\.mjs$/, own: /^\/mnt\/app\// },
  'a Postgres server': { line: /postgres|initdb/, own: /\/(?:pg|data|global|base|mnt)/ },
  'a Key Value server': { line: /valkey|redis/, own: /\/mnt\/|server\.conf/ },
};
/** Programs of the machine that the server starts. */
const MACHINE = new Set([
  ...[
    'git',
    'git-upload-pack',
    'git-remote-https',
    'setsid',
    'prlimit',
    'nice',
    'du',
    'chown',
    'rm',
    'tar',
  ],
  ...['gzip', 'xz', 'fallocate', 'nft', 'npm', 'node', 'python3', 'go', 'cargo', 'ruby', 'perl'],
  ...[
    'elixir',
    'erl',
    'erlexec',
    'beam.smp',
    'setpriv',
    'unshare',
    'buildah',
    'ps',
    'sh',
    'ls',
    'env',
  ],
]);
const OF_THE_MACHINE =
  /\/programs\/|\.git\/|\/(?:tree|releases|services|local|lists|home|root)\b|\.npm/;
/** What every program may open itself. */
const ANYBODY =
  /\.git\/|\/programs\/key-value\/(?:usr\/)?lib\/|^(?:\/usr\/|\/lib|\/etc\/|\/proc(?:\/|$)|\/sys\/|\/dev\/|anon_inode:|pipe:|socket:|$)/;

afterAll(cleanUp);

test('of every kind of child none has what the server has open', TIMEOUT, async () => {
  const place = mkdtempSync(join(tmpdir(), 'stoa-children-'));
  const listing = listingPrograms(place, STARTED);
  const watch = watchDescriptors();
  try {
    await using hosting = await hostingServer({ PATH: listing.path });
    watch.follow(hosting.server.ready.pid);
    await using client = await hostingClient(hosting);
    const repo = repository(join(hosting.sources, 'own'));
    repo.commit({ 'server.mjs': serverSource('one') });
    const order = { repo: repo.path, ...program(), autoDeploy: 'no' };
    await client.deployed({ ...order, name: 'first' });
    const stores = isLong ? await storesOf(client) : [];
    const { service } = await client.call('create_web_service', { name: 'pushed', ...program() });
    repo.git('push', '--quiet', service.pushUrl, 'main');

    // The stores are opened again, and what runs is taken up.
    await hosting.server.kill();
    await hosting.restart();
    watch.follow(hosting.server.ready.pid);
    await using again = await hostingClient(hosting);
    await again.deployed({ ...order, name: 'second' });

    const seen = watch.seen();
    const kinds = new Set(seen.map(kindOf));
    expect(seen.filter((each) => kindOf(each) === undefined).map(({ line }) => line)).toEqual([]);
    const expected = ['the chain node', 'its watcher', 'the router', 'a shim', 'a hosted program'];
    for (const kind of [...expected, ...stores]) expect(kinds, kind).toContain(kind);
    expect(seen.flatMap((each) => strangersOf(each, hosting.server.dataDir))).toEqual([]);
    // Files that a native module opened without the mark that closes them in a child.
    const open = unsealed(hosting.server.ready.pid);
    expect(open.filter((name) => !name.endsWith('/data.mdb'))).toEqual([]);
    const listed = listing.found();
    expect(listed.map(([name]) => name)).toEqual(
      expect.arrayContaining(['git', 'prlimit', 'chown', 'du']),
    );
    expect(listed.filter(([, targets]) => targets.length > 0)).toEqual([]);
  } finally {
    watch.stop();
    // What outlives the server may still list what it started.
    rmSync(place, { recursive: true, force: true, maxRetries: 20 });
  }
});

function kindOf({ line, isFirst }: SeenProcess): string | undefined {
  const kind = Object.entries(KINDS).find(([, { line: words }]) => words.test(line))?.[0];
  if (kind !== undefined) return kind;
  const [program = '', script = ''] = line.split(' ');
  const name = /^\/bin\/(?:ba|da)?sh$/.test(program) && script.startsWith('/') ? script : program;
  // What programs of the machine start in their turn has no list.
  return !isFirst || MACHINE.has(basename(name)) ? 'a program of the machine' : undefined;
}

/** What a process has open that is neither handed to it nor its own. */
function strangersOf(process: SeenProcess, dataDir: string): readonly string[] {
  const own = KINDS[kindOf(process) ?? '']?.own ?? OF_THE_MACHINE;
  const files = [...process.open].filter(([fd, target]) => {
    if (target.startsWith(join(dataDir, 'store'))) return true;
    return fd > 2 && !ANYBODY.test(target) && !own.test(target);
  });
  const name = process.line.slice(0, 120);
  return [
    ...files.map(([fd, target]) => `${name}: ${fd} -> ${target}`),
    ...process.shared.map((target) => `${name}: shares ${target}`),
  ];
}

/** Databases that this machine can have, by the name of their kind. */
async function storesOf(client: HostingClient): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [kind, tool, get] of [
    ['a Key Value server', 'create_key_value', 'get_key_value'],
    ['a Postgres server', 'create_postgres', 'get_postgres'],
  ] as const) {
    const made = await client.call(tool, { name: 'store', plan: 'free' }).catch(() => undefined);
    if (made === undefined) continue;
    const [key, value] = Object.entries(made)[0] as [string, { id: string }];
    await until(async () => {
      const now = await client.call(get, { [`${key}Id`]: value.id });
      return now[key].status === 'available';
    }, 240_000);
    found.push(kind);
  }
  return found;
}
