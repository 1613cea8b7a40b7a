import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { AppError } from '../../../../domain/common/error.ts';
import { writeAtomically } from '../../../sandbox/write-atomically.ts';
import type { Layout } from '../layout.ts';

/** The settings of a server that follow from its record. */
export interface AppliedSettings {
  /** Plan and options; a change requires a restart. */
  readonly fixed: string;
  /** Whether the external address is open; it can change while the server runs. */
  readonly isOpen: boolean;
}

/** Port range of instances, below the kernel's ephemeral ports. */
const PORT_FIRST = 20_000;
const PORT_LAST = 29_999;
const ADMIN_BYTES = 32;
const INSTANCE_FILE = 'key-value.json';

/** Permanent data of an instance. */
export interface InstanceData {
  readonly port: number;
  /** Password of the daemon's administrator user. */
  readonly admin: string;
}

interface StoredSettings {
  readonly plan: unknown;
  readonly options: unknown;
  readonly isOpen: boolean;
}

/** Paths of an instance's files. */
export interface KeyValuePaths {
  /** Folder visible to its process: settings, and `data`, which is the only writable part. */
  readonly folder: string;
  readonly data: string;
  readonly config: string;
  /** The settings that the server currently applies. */
  readonly settings: string;
}

/** Returns the paths of an instance's files. */
export function getKeyValuePaths(layout: Layout, id: string): KeyValuePaths {
  const folder = join(layout.service(id), 'server');
  return {
    folder,
    data: join(folder, 'data'),
    config: join(folder, 'server.conf'),
    settings: join(layout.service(id), 'settings.json'),
  };
}

/**
 * Creates the folders of an instance and chooses its port. Idempotent.
 *
 * @throws {AppError} `HOST_CAPACITY` if no port is free.
 */
export async function createInstance(layout: Layout, id: string): Promise<void> {
  const { folder, data } = getKeyValuePaths(layout, id);
  // The server's user must be able to traverse the folder.
  mkdirSync(folder, { recursive: true });
  mkdirSync(data, { recursive: true, mode: 0o700 });
  mkdirSync(layout.cache(id), { recursive: true, mode: 0o700 });
  if (readInstanceData(layout, id) !== undefined) return;
  const port = await choosePort(layout, id);
  const instanceData: InstanceData = { port, admin: randomBytes(ADMIN_BYTES).toString('hex') };
  writeAtomically(join(layout.service(id), INSTANCE_FILE), JSON.stringify(instanceData));
}

/** Records the settings that a server now applies. */
export function writeAppliedSettings(layout: Layout, id: string, applied: AppliedSettings): void {
  const { plan, options } = JSON.parse(applied.fixed) as StoredSettings;
  const stored: StoredSettings = { plan, options, isOpen: applied.isOpen };
  writeAtomically(getKeyValuePaths(layout, id).settings, JSON.stringify(stored));
}

/** Returns the settings that a server last applied; `undefined` before its first start. */
export function readAppliedSettings(layout: Layout, id: string): AppliedSettings | undefined {
  const { settings } = getKeyValuePaths(layout, id);
  if (!existsSync(settings)) return undefined;
  const { plan, options, isOpen } = JSON.parse(readFileSync(settings, 'utf8')) as StoredSettings;
  return { fixed: JSON.stringify({ plan, options }), isOpen };
}

/** Returns the permanent data of an instance; `undefined` if it was not created. */
export function readInstanceData(layout: Layout, id: string): InstanceData | undefined {
  return readDataFile(layout.service(id));
}

/** Removes all files of an instance. */
export function removeInstance(layout: Layout, id: string): void {
  rmSync(layout.service(id), { recursive: true, force: true });
}

function readDataFile(folder: string): InstanceData | undefined {
  const file = join(folder, INSTANCE_FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as InstanceData) : undefined;
}

/** Returns the first port, starting from a hash of the id, that is neither reserved nor in use. */
async function choosePort(layout: Layout, id: string): Promise<number> {
  const services = dirname(layout.service(id));
  const reservedPorts = readdirSync(services).map(
    (name) => readDataFile(join(services, name))?.port,
  );
  const count = PORT_LAST - PORT_FIRST + 1;
  const first = createHash('sha256').update(id).digest().readUInt32BE(0) % count;
  for (let at = 0; at < count; at += 1) {
    const port = PORT_FIRST + ((first + at) % count);
    if (!reservedPorts.includes(port) && (await isPortFree(port))) return port;
  }
  throw new AppError('HOST_CAPACITY', {
    message: `All ports from ${PORT_FIRST} to ${PORT_LAST} are in use.`,
  });
}

function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
