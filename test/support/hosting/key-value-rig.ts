import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestAPI, test } from 'vitest';
import type { DatabaseHost } from '../../../src/domain/hosting/database-host.ts';
import type { PlanLimits } from '../../../src/domain/hosting/plans.ts';
import type { KeyValue } from '../../../src/domain/hosting/records.ts';
import { readInstanceData } from '../../../src/providers/hosting/local/key-value/instance-files.ts';
import { openKeyValueHost } from '../../../src/providers/hosting/local/key-value/key-value-host.ts';
import {
  type FoundServer,
  findServer,
} from '../../../src/providers/hosting/local/key-value/program.ts';
import {
  ADMIN_USER,
  type HostedKeyValue,
} from '../../../src/providers/hosting/local/key-value/settings.ts';
import { type Layout, openLayout } from '../../../src/providers/hosting/local/layout.ts';
import { NO_FIREWALL } from '../../../src/providers/hosting/local/network/firewall.ts';
import { sendSignal } from '../../../src/providers/hosting/local/run/processes.ts';
import { readPids } from '../../../src/providers/hosting/local/run/run-files.ts';
import { Runner } from '../../../src/providers/hosting/local/run/runner.ts';
import { openSandbox, type Sandbox } from '../../../src/providers/hosting/local/sandbox.ts';
import { type Cgroups, detectCgroups } from '../../../src/providers/sandbox/cgroups.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import { askOnce, type Reply } from '../resp-client.ts';
import { tempDir } from '../temp-dir.ts';
import { FETCHED_SERVER } from './fetched-server.ts';

const never = new AbortController().signal;

/** A Key Value host over a folder of its own, with what tests look at from behind. */
export interface KeyValueRig {
  readonly host: DatabaseHost<KeyValue>;
  readonly runner: Runner;
  readonly layout: Layout;
  readonly folder: string;
  /** Another daemon over the same folder. */
  again(): KeyValueRig;
  /** Makes and starts an instance; throws its reason where it does not start. */
  up(database: HostedKeyValue): Promise<void>;
  /** Asks as the daemon's own user. */
  admin(database: HostedKeyValue, ...words: readonly string[]): Promise<Reply>;
  /** Ends everything that was begun. */
  close(): Promise<void>;
}

/** What a rig may be told. */
export interface RigOptions {
  readonly cgroups?: Cgroups;
  readonly sandbox?: Sandbox;
  readonly find?: () => Promise<FoundServer>;
  readonly taken?: readonly PlanLimits[];
  readonly startMs?: number;
}

/** Opens a rig. */
export function keyValueRig(options: RigOptions = {}): KeyValueRig {
  const dir = tempDir();
  chmodSync(dir.path, 0o755);
  const open = (): KeyValueRig => {
    const layout = openLayout(join(dir.path, 'local'));
    const { cgroups = detectCgroups(), sandbox = openSandbox(process.env), taken = [] } = options;
    const closing = never;
    const clock = systemClock();
    const runner = new Runner({
      runs: layout.runs,
      cgroups,
      clock,
      token: randomUUID,
      closing,
    });
    const host = openKeyValueHost({
      layout,
      runner,
      sandbox,
      network: NO_FIREWALL,
      plansInUse: async () => taken,
      find: options.find ?? findHere,
      size: { cpus: 4, memoryMib: 8_192 },
      startMs: options.startMs ?? 120_000,
    });
    return {
      host,
      runner,
      layout,
      folder: dir.path,
      again: open,
      up: async (database) => {
        const ends = [await host.make(database, never), await host.start(database, never)];
        for (const end of ends) if (!end.ok) throw new Error(end.reason);
      },
      admin: (database, ...words) => {
        const kept = readInstanceData(layout, database.record.id);
        return askOnce(`redis://${ADMIN_USER}:${kept?.admin}@127.0.0.1:${kept?.port}`, ...words);
      },
      close: async () => {
        for (const name of runner.names()) await runner.stop(name, 0);
        dir.remove();
      },
    };
  };
  return open();
}

/** An order of an instance; overrides go to the record. */
export function keyValueOf(more: Partial<HostedKeyValue['record']> = {}): HostedKeyValue {
  const id = `red-${randomBytes(10).toString('hex')}`;
  const record: HostedKeyValue['record'] = {
    id,
    name: 'cache',
    ownerId: 'tea-00000000000000000000',
    plan: 'free',
    region: 'oregon',
    options: { maxmemoryPolicy: 'noeviction', persistenceMode: 'off' },
    ipAllowList: [{ cidrBlock: '127.0.0.0/8', description: 'this machine' }],
    version: 'Redis 7.0.15',
    dashboardUrl: 'http://127.0.0.1/console',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...more,
  };
  return { record, password: randomBytes(24).toString('hex') };
}

/** A test that is left out where there is no server program. */
export const keyValueTest: ReturnType<TestAPI['skipIf']> = test.skipIf(!(await hasServer()));

async function hasServer(): Promise<boolean> {
  return 'server' in (await findHere());
}

function findHere(): Promise<FoundServer> {
  return findServer(openSandbox(process.env), FETCHED_SERVER);
}

/** The newest run, of one instance where there are several. */
export function runOf({ runner }: KeyValueRig, database?: HostedKeyValue): string {
  const names = runner.names().filter((name) => name.includes(database?.record.id ?? ''));
  return names.sort().at(-1) ?? '';
}

/** Kills the server of an instance as the kernel would. */
export async function killServer(own: KeyValueRig, database: HostedKeyValue): Promise<void> {
  const name = runOf(own, database);
  const { pid = 0 } = readPids(own.runner.paths(name));
  sendSignal(pid, 'SIGKILL');
  await expect.poll(() => own.runner.getState(name).state).not.toBe('running');
}
