import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestRow } from '../domain/hosting/telemetry/request-row.ts';
import { type ControlSocket, openControlSocket } from './control-socket.ts';
import type { Predecessor } from './predecessor.ts';
import { RequestSpool } from './request-spool.ts';
import { readActiveTable, storeTable } from './route-file.ts';
import { type Router, type RouterState, startRouter } from './router.ts';
import { ROUTER_FILES } from './router-files.ts';
import { socketPath } from './socket-path.ts';
import { type RouterProgram, Successor } from './successor.ts';

/** How long pending requests may take after a stop, in milliseconds. */
export const ROUTER_GRACE_MS = 30_000;

/**
 * How long existing connections, such as WebSockets, may continue after a handover, in
 * milliseconds.
 */
const DRAIN_MS = 15 * 60_000;

/** Interval of the checks whether the folder still exists, in milliseconds. */
const FOLDER_CHECK_MS = 1_000;

/** Options of `runRouter`. */
export interface RunRouterOptions {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly now: () => number;
  /** Build name, to distinguish it from a router of another build. */
  readonly build?: string | undefined;
  /** The router whose port it takes over. */
  readonly predecessor?: Predecessor | undefined;
}

/** A router that runs as a separate process. */
export interface RunningRouter {
  readonly port: number;
  readonly pid: number;
  /** Stops it gracefully. Further calls return the same promise. */
  stop(): Promise<void>;
  /** Resolves when it has stopped, including a stop by a command. */
  readonly ended: Promise<void>;
}

/**
 * Runs the router of a folder: with the last active table, a control socket, and a spool of
 * answered requests.
 *
 * @throws {AppError} `CONFIG_INVALID` for an invalid table; `PORT_IN_USE`
 */
export async function runRouter(place: RunRouterOptions): Promise<RunningRouter> {
  const { folder, host, port, now, predecessor } = place;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const spool = new RequestSpool(join(folder, ROUTER_FILES.spool), now());
  const rows = { add: (row: RequestRow): void => spool.add(row) };
  const router = await startRouter({
    host,
    port,
    now,
    table: readActiveTable(folder),
    server: predecessor?.server,
    onRequest: (row) => rows.add(row),
  });
  const running = new RouterProcess({ options: place, router, spool, rows });
  await running.listen();
  predecessor?.confirmTakeover((row) => rows.add(row));
  return running;
}

interface RouterProcessParts {
  readonly options: RunRouterOptions;
  readonly router: Router;
  readonly spool: RequestSpool;
  /** Receives the rows of answered requests. */
  readonly rows: { add: (row: RequestRow) => void };
}

class RouterProcess implements RunningRouter {
  readonly pid = process.pid;
  readonly ended: Promise<void>;
  readonly #parts: RouterProcessParts;
  readonly #path: string;
  readonly #folderCheck: NodeJS.Timeout;
  /** Only the last one accepts connections; others may have pending commands. */
  readonly #controls: ControlSocket[] = [];
  #successor: Successor | undefined;
  #isReplacing = false;
  #stopping: Promise<void> | undefined;
  #resolveEnded = (): void => {};

  constructor(parts: RouterProcessParts) {
    const { folder } = parts.options;
    this.#parts = parts;
    this.#path = socketPath(folder, ROUTER_FILES.control);
    this.ended = new Promise<void>((done) => {
      this.#resolveEnded = done;
    });
    // A router whose folder is gone is unreachable and must not keep running.
    this.#folderCheck = setInterval(() => {
      if (!existsSync(folder)) void this.stop();
    }, FOLDER_CHECK_MS);
  }

  get port(): number {
    return this.#parts.router.port;
  }

  /** Opens the control socket. */
  async listen(): Promise<void> {
    const { router, spool, options } = this.#parts;
    const { host, build = '', predecessor } = options;
    const control = await openControlSocket(this.#path, {
      replace: (table) => router.replace(table),
      state: () => this.#getState(),
      storeTable: async (table) => {
        storeTable(options.folder, table);
        await predecessor?.replace(table);
      },
      // Lets the response go out first.
      stop: () => void setImmediate(() => void this.stop()),
      handOver: (program) => this.#handOver(program),
      facts: () => ({ pid: process.pid, host, port: this.port, build, dropped: spool.dropped }),
    });
    this.#controls.push(control);
  }

  stop(): Promise<void> {
    const { router, options } = this.#parts;
    this.#stopping ??= this.#drainAndStop();
    // A draining router gets no more time.
    void router.close(ROUTER_GRACE_MS);
    options.predecessor?.stop();
    return this.#stopping;
  }

  /** Unfinished requests of a predecessor count as well. */
  #getState(): RouterState {
    const { router, options } = this.#parts;
    const state = router.state();
    const underWay = { ...state.underWay };
    for (const [instance, count] of Object.entries(options.predecessor?.underWay ?? {})) {
      underWay[instance] = (underWay[instance] ?? 0) + count;
    }
    return { ...state, underWay };
  }

  async #drainAndStop(): Promise<void> {
    const { router, spool, options } = this.#parts;
    clearInterval(this.#folderCheck);
    for (const control of this.#controls) control.close();
    await router.drain(DRAIN_MS);
    this.#successor?.close();
    options.predecessor?.stop();
    if (existsSync(options.folder)) await spool.flush();
    this.#resolveEnded();
  }

  /**
   * Hands over the port to another program.
   *
   * @returns The reason if it did not take over.
   */
  async #handOver(program: RouterProgram): Promise<string | undefined> {
    if (this.#isReplacing || this.#stopping !== undefined) return 'the router is already stopping';
    this.#isReplacing = true;
    const { router, spool, options, rows } = this.#parts;
    const waiting: RequestRow[] = [];
    this.#controls.at(-1)?.release();
    const successor = await Successor.start({
      program,
      folder: options.folder,
      host: options.host,
      server: router.server,
      // The successor's files sort after these, so these must not grow any more.
      prepare: () => {
        rows.add = (row) => void waiting.push(row);
        return spool.flush();
      },
      underWay: () => this.#getState().underWay,
      replace: (table) => {
        router.replace(table);
        return options.predecessor?.replace(table) ?? Promise.resolve();
      },
      stop: () => void this.stop(),
    });
    this.#isReplacing = false;
    rows.add =
      typeof successor === 'string' ? (row) => spool.add(row) : (row) => successor.add(row);
    for (const row of waiting) rows.add(row);
    if (typeof successor === 'string') {
      await this.listen();
      return successor;
    }
    this.#successor = successor;
    // Lets the response go out first.
    setImmediate(() => {
      this.#stopping ??= this.#drainAndStop();
    });
    return undefined;
  }
}
