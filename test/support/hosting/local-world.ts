import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { consolePageUrl } from '../../../src/domain/hosting/console-pages.ts';
import type { DatabaseHosts } from '../../../src/domain/hosting/database-host.ts';
import {
  type DiskOptions,
  openLocalHosting,
  type RunningHosting,
} from '../../../src/process/hosting/local-hosting.ts';
import { createSealer } from '../../../src/process/server/sealer.ts';
import { getDownloadFolder } from '../../../src/providers/hosting/local/key-value/program.ts';
import { Runner } from '../../../src/providers/hosting/local/run/runner.ts';
import type { ReachedRange } from '../../../src/providers/hosting/settings.ts';
import { detectCgroups } from '../../../src/providers/sandbox/cgroups.ts';
import { openEngine } from '../../../src/runtime/engine/engine.ts';
import type { EngineStore } from '../../../src/runtime/engine/ports.ts';
import type { ActorEngine } from '../../../src/runtime/engine/types.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { openHostingEvents } from '../../../src/store/hosting/hosting-events.ts';
import { openHostingLogs } from '../../../src/store/hosting/hosting-logs.ts';
import { openHostingMetrics } from '../../../src/store/hosting/hosting-metrics.ts';
import type { HostingWorld } from '../../conformance/hosting/world.ts';
import { tempDir } from '../temp-dir.ts';
import { FETCHED_SERVER } from './fetched-server.ts';
import { repository, serverSource } from './sources.ts';

export const WORKSPACES = ['tea-0000000000000000000a', 'tea-0000000000000000000b'] as const;
/** Programs that were fetched once are kept for all tests. */
export const PROGRAMS = join(import.meta.dirname, '../../../.cache/hosting-programs');
const LOOK_MS = 50;
const LONGEST_MS = 120_000;

/** Hosting on this machine in a folder of its own, over real stores; it can be opened anew. */
export interface LocalWorld extends HostingWorld {
  readonly engine: ActorEngine;
  readonly folder: string;
  readonly source: ReturnType<typeof repository>;
  readonly notices: readonly string[];
  /** Ends the daemon's part in order, and starts it anew over the same folder. */
  reopen(): Promise<void>;
}

/** What a world may be opened with. */
interface LocalWorldOptions {
  readonly branchCheckMs?: number;
  /** In place of the databases of this machine. */
  readonly databaseHosts?: DatabaseHosts;
  /** In place of the bounds of the disk by plan. */
  readonly disk?: DiskOptions;
  /** What fetches and programs reach on this machine beside their own. */
  readonly reach?: readonly ReachedRange[];
  /** Variables of the operator, beside those of the test. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ports of the console and of services at each start; none named unless set. */
  readonly ports?: () => { readonly console: number; readonly router: number };
}

/** Opens a world. Its repository holds one commit of a server that answers `one`. */
export async function localWorld(o: LocalWorldOptions = {}): Promise<LocalWorld> {
  const dir = tempDir();
  // Users of their own go through the folder to their builds.
  chmodSync(dir.path, 0o755);
  const source = repository(join(dir.path, 'sources', 'hello'));
  source.commit({ 'server.mjs': serverSource('one') });
  const key = randomBytes(32);
  const notices: string[] = [];
  writeFileSync(join(dir.path, 'prlimit'), wrapper(dir.path, source.path), { mode: 0o755 });
  takeFetched(getDownloadFolder(join(dir.path, 'hosting', 'local')));
  const open = () => openDaemon({ path: dir.path, key, notices, ...o });
  let daemon = await open();
  let lines = 0;
  return {
    get provider() {
      return daemon.running.provider;
    },
    get engine() {
      return daemon.engine;
    },
    folder: dir.path,
    source,
    notices,
    workspaces: WORKSPACES,
    repo: source.path,
    start: 'exec node server.mjs',
    runsSql: true,
    now: () => Date.now(),
    until: async (claim, what) => {
      const end = Date.now() + LONGEST_MS;
      while (!(await claim())) {
        if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    },
    breakNext: async (_serviceId, step) => {
      if (step === 'update') source.commit({ 'server.mjs': 'process.exit(3)' });
      writeFileSync(join(dir.path, `break-${step}`), '');
    },
    write: async (resource, written) => {
      const all = written.map(({ type = 'app', ...line }) => {
        lines += 1;
        return { end: lines, resource, type, ...line };
      });
      await daemon.logs.append('written', all);
    },
    reopen: async () => {
      await daemon.close();
      daemon = await open();
    },
    close: async () => {
      const { rows } = await daemon.engine.list({ kind: 'service', limit: 1_000 });
      for (const { id } of rows) await daemon.engine.tell(id, { type: 'REMOVE', at: Date.now() });
      await removeDatabases(daemon.engine);
      await daemon.close();
      await killAll(dir.path);
      dir.remove();
    },
  };
}

/** Servers that end in order leave nothing in the kernel. */
async function removeDatabases(engine: ActorEngine): Promise<void> {
  const { rows } = await engine.list({ kind: 'database', limit: 1_000 });
  for (const { id } of rows.filter(({ status }) => status === 'active')) {
    // One that is being removed may be gone before it hears of it.
    await engine.tell(id, { type: 'REMOVE' }).catch(() => undefined);
    await engine.waitFor(id, ({ value }) => value === 'removed', { timeoutMs: LONGEST_MS });
  }
}

/** Stands before git: fails one fetch, or takes the newest commit back behind one. */
function wrapper(folder: string, source: string): string {
  return `#!/bin/sh
PATH=\${PATH#*:}
case "$*" in *' fetch '*) ;; *) exec prlimit "$@" ;; esac
if rm ${folder}/break-build 2>/dev/null; then echo 'no such branch' >&2; exit 1; fi
prlimit "$@"; code=$?
if rm ${folder}/break-update 2>/dev/null; then git -C ${source} reset --quiet --hard HEAD~1; fi
exit $code
`;
}

/** What the set-up fetched is there for each world. */
function takeFetched(place: string): void {
  if (!existsSync(FETCHED_SERVER)) return;
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(FETCHED_SERVER, place);
}

/** Nothing that a test began goes on behind it. */
async function killAll(path: string): Promise<void> {
  const runner = new Runner({
    runs: join(path, 'hosting', 'local', 'runs'),
    cgroups: detectCgroups(),
    clock: systemClock(),
    token: () => '',
    closing: new AbortController().signal,
  });
  for (const name of runner.names()) await runner.kill(name);
}

interface DaemonParts extends LocalWorldOptions {
  readonly path: string;
  readonly key: Uint8Array;
  readonly notices: string[];
}

async function openDaemon({ path, key, notices, ...o }: DaemonParts) {
  const clock = systemClock();
  const history = openHostingEvents({ path: join(path, 'events') });
  const logs = openHostingLogs({ path: join(path, 'logs') });
  const metrics = openHostingMetrics({ path: join(path, 'metrics') });
  const store: EngineStore = openEngineStore({ path: join(path, 'actors') });
  const onNotice = ({ kind, message }: { kind: string; message: string }): void => {
    notices.push(`${kind}: ${message}`);
  };
  const setup = openEngine({ store, clock, definitions: [], onNotice });
  const { engine } = setup;
  const running: RunningHosting = await openLocalHosting(setup, {
    history,
    logs,
    metrics,
    clock,
    sealer: createSealer(key),
    ...o,
    random: { bytes: (length) => randomBytes(length) },
    workspaces: WORKSPACES.map((id) => ({ id, name: id, email: '', type: 'team' as const })),
    urlOf: (slug) =>
      `http://${slug}.localhost${o.ports === undefined ? '' : `:${o.ports().router}`}`,
    pageOf: (id) =>
      consolePageUrl(`http://127.0.0.1${o.ports === undefined ? '' : `:${o.ports().console}`}`, id),
    folder: join(path, 'hosting'),
    sources: { folder: join(path, 'sources'), shared: ['hello'] },
    programs: PROGRAMS,
    trustsRepositories: false,
    env: { ...process.env, ...o.env, PATH: `${path}:${process.env['PATH']}` },
    size: { cpus: 8, memoryMib: 65_536 },
    notice: (line) => notices.push(line),
  });
  await setup.start();
  return {
    engine,
    running,
    logs,
    close: async () => {
      await running.stop();
      await engine.close();
      await store.close();
      await logs.close();
      await metrics.close();
      await history.close();
    },
  };
}
