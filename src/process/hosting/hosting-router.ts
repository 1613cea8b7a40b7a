import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { RequestRouter } from '../../domain/hosting/request-router.ts';
import type { Route } from '../../domain/hosting/routes.ts';
import { ROUTER_FILES } from '../../router/router-files.ts';
import { socketPath } from '../../router/socket-path.ts';
import { spawn } from '../../system/child.ts';
import { refuseHeldPort } from '../server/own-port.ts';
import { packageRoot } from '../server/package-root.ts';
import { routerBuild } from './router-build.ts';
import { RouterLine } from './router-line.ts';

/** How long a router may take until it answers, in milliseconds. */
const START_MS = 30 * SECOND_MS;
/** How long a router may take until another one has its port, in milliseconds. */
const HAND_OVER_MS = 60 * SECOND_MS;
const LOOK_MS = 50;
/** Wait before a router that is gone is looked for again, in milliseconds. */
const AGAIN_MS = SECOND_MS;
/** Services are reached through a proxy of the operator, or from this machine. */
const ROUTER_HOST = '127.0.0.1';
/** The port that was taken once where any was wanted. */
const PORT_FILE = 'port';
const LOG_FILE = 'router.log';
const CLI = join(packageRoot(), 'dist', 'cli.js');

/** What the router of hosted services is run with. */
export interface HostingRouterParts {
  readonly folder: string;
  /** 0 takes a free port once, and keeps it. */
  readonly port: number;
  /** Told what an operator should read. */
  readonly notice: (line: string) => void;
  /** Names the router's program; that of this package unless told. */
  readonly build?: string;
}

/** The router of hosted services: a process of its own that goes on without the daemon. */
export interface HostingRouter extends RequestRouter {
  readonly port: number;
  readonly pid: number;
  /** Called when another router than before is there. */
  onNew(listener: () => void): void;
  /** Lets go of it; it goes on. */
  close(): Promise<void>;
}

/**
 * Finds the router of a folder, or starts one; starts it again whenever it is gone.
 *
 * @throws {AppError} `PORT_IN_USE`; `CONFIG_INVALID` when it does not start.
 */
export async function openHostingRouter(parts: HostingRouterParts): Promise<HostingRouter> {
  mkdirSync(parts.folder, { recursive: true, mode: 0o700 });
  const router = new KeptRouter(parts);
  await router.open();
  return router;
}

/** Path of the control socket of the router of a folder. */
export function controlPath(folder: string): string {
  return socketPath(folder, ROUTER_FILES.control);
}

class KeptRouter implements HostingRouter {
  readonly #parts: HostingRouterParts;
  readonly #path: string;
  readonly #build: string;
  #line: RouterLine | undefined;
  #isClosed = false;
  #listener: () => void = () => undefined;
  #watching: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  #last: Promise<unknown> = Promise.resolve();
  port = 0;
  pid = 0;

  constructor(parts: HostingRouterParts) {
    this.#parts = parts;
    this.#path = controlPath(parts.folder);
    this.#build = parts.build ?? routerBuild();
  }

  async open(): Promise<void> {
    await this.#reach();
    this.#watching = this.#watch();
  }

  onNew(listener: () => void): void {
    this.#listener = listener;
  }

  /** One table after the other: each has a version above the one before. */
  put(routes: readonly Route[]): Promise<void> {
    const turn = this.#last.catch(() => undefined).then(() => this.#put(routes));
    this.#last = turn;
    return turn;
  }

  async underWay(instanceId: string): Promise<number> {
    const answer = await this.#line?.ask({ do: 'state' }).catch(() => undefined);
    return answer?.underWay?.[instanceId] ?? 0;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#line?.close();
    this.#wake();
    await this.#watching;
  }

  async #put(routes: readonly Route[]): Promise<void> {
    const line = this.#line;
    if (line === undefined) throw unavailable();
    const { version = 0 } = await line.ask({ do: 'state' });
    const table = { version: version + 1, routes };
    const { ok, why } = await line.ask({ do: 'routes', table });
    if (!ok) throw new AppError('INTERNAL', { message: `the router refused its table: ${why}` });
  }

  async #watch(): Promise<void> {
    while (!this.#isClosed) {
      await this.#line?.closed;
      this.#line = undefined;
      if (this.#isClosed) return;
      try {
        await this.#reach();
        this.#listener();
      } catch (thrown) {
        this.#parts.notice(`router: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
        await this.#pause(AGAIN_MS);
      }
    }
  }

  async #reach(): Promise<void> {
    const line = (await this.#adopt()) ?? (await this.#start());
    const { port = 0, pid = 0 } = await line.ask({ do: 'state' });
    this.port = port;
    this.pid = pid;
    this.#line = line;
    writeFileSync(join(this.#parts.folder, PORT_FILE), String(port), { mode: 0o600 });
  }

  /**
   * One that runs is taken; one of another build gives its port to ours first, and one on another
   * port than is wanted now is ended.
   */
  async #adopt(): Promise<RouterLine | undefined> {
    const line = await RouterLine.open(this.#path);
    if (line === undefined) return undefined;
    const { port, build } = await line.ask({ do: 'state' });
    if (this.#parts.port === 0 || this.#parts.port === port) {
      return build === this.#build ? line : this.#exchange(line);
    }
    await line.ask({ do: 'stop' });
    await line.closed;
    return undefined;
  }

  /** Has a router replaced by one of our build; where it does not do it, it goes on. */
  async #exchange(line: RouterLine): Promise<RouterLine | undefined> {
    const program = { node: process.execPath, program: CLI, build: this.#build };
    const { ok, why } = await line.ask({ do: 'replace', ...program }, HAND_OVER_MS);
    if (!ok) {
      this.#parts.notice(`router: one of another build goes on until it is stopped: ${why}`);
      return line;
    }
    line.close();
    return RouterLine.open(this.#path);
  }

  async #start(): Promise<RouterLine> {
    const { folder } = this.#parts;
    const wanted = this.#parts.port === 0 ? keptPort(folder) : this.#parts.port;
    await refuseHeldPort({ host: ROUTER_HOST, port: wanted, flag: '--router-port' });
    const log = openSync(join(folder, LOG_FILE), 'w', 0o600);
    const port = String(wanted);
    const place = ['--folder', folder, '--host', ROUTER_HOST, '--port', port];
    const args = [CLI, 'router', ...place, '--build', this.#build, '--json'];
    const child = spawn(process.execPath, args, {
      ...{ cwd: '/', detached: true, stdio: ['ignore', log, log] },
      // Nothing of the daemon's surroundings: they hold its secrets.
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
      const line = await RouterLine.open(this.#path);
      if (line !== undefined) return line;
      await this.#pause(LOOK_MS);
    }
    throw new AppError('CONFIG_INVALID', {
      message: `The router of services did not start on port ${port}.`,
      data: { received: port, why: lastWords(join(folder, LOG_FILE)) },
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

function keptPort(folder: string): number {
  try {
    return Number(readFileSync(join(folder, PORT_FILE), 'utf8'));
  } catch {
    return 0;
  }
}

function lastWords(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').slice(-3).join(' ').slice(0, 500);
  } catch {
    return '';
  }
}

function unavailable(): AppError {
  return new AppError('HOST_UNAVAILABLE', { message: 'The router of services is away.' });
}
