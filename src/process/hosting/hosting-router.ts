import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { RequestRouter, Route } from '../../domain/hosting/routes.ts';
import { ROUTER_FILES } from '../../router/router-files.ts';
import { socketPath } from '../../router/socket-path.ts';
import { spawn } from '../../system/child.ts';
import { VERSION } from '../../version.ts';
import { rejectUsedPort } from '../server/own-port.ts';
import { packageRoot } from '../server/package-root.ts';
import { RouterClient } from './router-client.ts';

/** Time limit for a router to start, in milliseconds. */
const START_MS = 30 * SECOND_MS;
/** Time limit for another router to take over the port, in milliseconds. */
const TAKEOVER_MS = 60 * SECOND_MS;
const POLL_MS = 50;
/** Delay before the search for a lost router is repeated, in milliseconds. */
const RETRY_MS = SECOND_MS;
/** Services are reached through a proxy of the operator, or from this machine. */
const ROUTER_HOST = '127.0.0.1';
/** The file with the port that was picked when the configured port was 0. */
const PORT_FILE = 'port';
const LOG_FILE = 'router.log';
const CLI = join(packageRoot(), 'dist', 'cli.js');

/** The options of the router of hosted services. */
export interface HostingRouterDeps {
  readonly folder: string;
  /** 0 picks a free port once and keeps it. */
  readonly port: number;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
  /** The build id of the router. Default: this package's. */
  readonly build?: string;
}

/** The router of hosted services, a separate process that outlives the daemon. */
export interface HostingRouter extends RequestRouter {
  readonly port: number;
  readonly pid: number;
  /** Registers the listener for a new router. */
  onReplaced(listener: () => void): void;
  /** Disconnects from the router, which continues. */
  close(): Promise<void>;
}

/**
 * Finds or starts the router of a folder, and starts it again whenever it is lost.
 *
 * @throws {AppError} `PORT_IN_USE`; `CONFIG_INVALID` when it does not start.
 */
export async function openHostingRouter(parts: HostingRouterDeps): Promise<HostingRouter> {
  mkdirSync(parts.folder, { recursive: true, mode: 0o700 });
  const router = new SupervisedRouter(parts);
  await router.open();
  return router;
}

/** Returns the path of the control socket of a folder's router. */
export function controlPath(folder: string): string {
  return socketPath(folder, ROUTER_FILES.control);
}

class SupervisedRouter implements HostingRouter {
  readonly #parts: HostingRouterDeps;
  readonly #path: string;
  readonly #build: string;
  #client: RouterClient | undefined;
  #isClosed = false;
  #listener: () => void = () => undefined;
  #supervising: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  readonly #serializePuts = pLimit(1);
  port = 0;
  pid = 0;

  constructor(parts: HostingRouterDeps) {
    this.#parts = parts;
    this.#path = controlPath(parts.folder);
    this.#build = parts.build ?? routerBuild();
  }

  async open(): Promise<void> {
    await this.#connect();
    this.#supervising = this.#supervise();
  }

  onReplaced(listener: () => void): void {
    this.#listener = listener;
  }

  /** Sends one table at a time: each version must exceed the one before. */
  replaceRoutes(routes: readonly Route[]): Promise<void> {
    return this.#serializePuts(() => this.#put(routes));
  }

  async countUnfinished(instanceId: string): Promise<number> {
    const answer = await this.#client?.send({ do: 'state' }).catch(() => undefined);
    return answer?.underWay?.[instanceId] ?? 0;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#client?.close();
    this.#wake();
    await this.#supervising;
  }

  async #put(routes: readonly Route[]): Promise<void> {
    const line = this.#client;
    if (line === undefined) throw routerUnavailable();
    const { version = 0 } = await line.send({ do: 'state' });
    const table = { version: version + 1, routes };
    const { ok, why } = await line.send({ do: 'routes', table });
    if (!ok) throw new AppError('INTERNAL', { message: `route table rejected: ${why}` });
  }

  async #supervise(): Promise<void> {
    while (!this.#isClosed) {
      await this.#client?.closed;
      this.#client = undefined;
      if (this.#isClosed) return;
      try {
        await this.#connect();
        this.#listener();
      } catch (thrown) {
        this.#parts.notice(`router: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
        await this.#pause(RETRY_MS);
      }
    }
  }

  async #connect(): Promise<void> {
    const line = (await this.#adopt()) ?? (await this.#start());
    const { port = 0, pid = 0 } = await line.send({ do: 'state' });
    this.port = port;
    this.pid = pid;
    this.#client = line;
    writeFileSync(join(this.#parts.folder, PORT_FILE), String(port), { mode: 0o600 });
  }

  /**
   * Adopts a running router. One with another build is replaced first, and one on another port is
   * stopped.
   */
  async #adopt(): Promise<RouterClient | undefined> {
    const line = await RouterClient.connect(this.#path);
    if (line === undefined) return undefined;
    const { port, build } = await line.send({ do: 'state' });
    if (this.#parts.port === 0 || this.#parts.port === port) {
      return build === this.#build ? line : this.#replaceRouter(line);
    }
    await line.send({ do: 'stop' });
    await line.closed;
    return undefined;
  }

  /** Replaces a router with one of this build. If that fails, the old one continues. */
  async #replaceRouter(line: RouterClient): Promise<RouterClient | undefined> {
    const program = { node: process.execPath, program: CLI, build: this.#build };
    const { ok, why } = await line.send({ do: 'replace', ...program }, TAKEOVER_MS);
    if (!ok) {
      this.#parts.notice(`router: keeping a router of another build until it is stopped: ${why}`);
      return line;
    }
    line.close();
    return RouterClient.connect(this.#path);
  }

  async #start(): Promise<RouterClient> {
    const { folder } = this.#parts;
    const wanted = this.#parts.port === 0 ? readStoredPort(folder) : this.#parts.port;
    await rejectUsedPort({ host: ROUTER_HOST, port: wanted, flag: '--router-port' });
    const log = openSync(join(folder, LOG_FILE), 'w', 0o600);
    const port = String(wanted);
    const place = ['--folder', folder, '--host', ROUTER_HOST, '--port', port];
    const args = [CLI, 'router', ...place, '--build', this.#build, '--json'];
    const child = spawn(process.execPath, args, {
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
      // Only `PATH`: the daemon's environment contains secrets.
      env: { PATH: process.env['PATH'] ?? '' },
    });
    closeSync(log);
    let hasEnded = false;
    child.on('error', () => {
      hasEnded = true;
    });
    child.on('exit', () => {
      hasEnded = true;
    });
    child.unref();
    const end = Date.now() + START_MS;
    while (!hasEnded && Date.now() < end && !this.#isClosed) {
      const line = await RouterClient.connect(this.#path);
      if (line !== undefined) return line;
      await this.#pause(POLL_MS);
    }
    throw new AppError('CONFIG_INVALID', {
      message: `The service router did not start on port ${port}.`,
      data: { received: port, why: readLogTail(join(folder, LOG_FILE)) },
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}

function readStoredPort(folder: string): number {
  try {
    return Number(readFileSync(join(folder, PORT_FILE), 'utf8'));
  } catch {
    return 0;
  }
}

function readLogTail(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').slice(-3).join(' ').slice(0, 500);
  } catch {
    return '';
  }
}

function routerUnavailable(): AppError {
  return new AppError('HOST_UNAVAILABLE', { message: 'The service router is not running.' });
}

/**
 * Returns the build id of this package's router: its version, and in a checkout a hash of its
 * modules. A published version has one build.
 */
function routerBuild(): string {
  const folder = join(packageRoot(), 'dist', 'router');
  if (!existsSync(folder)) return VERSION;
  const hash = createHash('sha256');
  const modules = readdirSync(folder).filter((name) => name.endsWith('.js'));
  for (const name of modules.sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return `${VERSION}-${hash.digest('hex').slice(0, 16)}`;
}
