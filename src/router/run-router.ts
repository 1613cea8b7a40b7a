import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestRow } from '../domain/hosting/telemetry/request-row.ts';
import { type ControlSocket, openControlSocket } from './control-socket.ts';
import type { Predecessor } from './predecessor.ts';
import { RequestSpool } from './request-spool.ts';
import { keepTable, tableInForce } from './route-file.ts';
import { openRouter, type Router, type RouterState } from './router.ts';
import { ROUTER_FILES } from './router-files.ts';
import { socketPath } from './socket-path.ts';
import { type Program, Successor } from './successor.ts';

/** How long pending requests may take after a stop, in milliseconds. */
export const ROUTER_GRACE_MS = 30_000;

/**
 * How long existing connections, such as WebSockets, may continue after a handover, in
 * milliseconds.
 */
const DRAIN_MS = 15 * 60_000;

/** Interval of the checks whether the folder still exists, in milliseconds. */
const FOLDER_LOOK_MS = 1_000;

/** Options of `runRouter`. */
export interface RouterPlace {
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
export async function runRouter(place: RouterPlace): Promise<RunningRouter> {
  const { folder, host, port, now, predecessor } = place;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const spool = new RequestSpool(join(folder, ROUTER_FILES.spool), now());
  const rows = { add: (row: RequestRow): void => spool.add(row) };
  const router = await openRouter({
    ...{ host, port, now, table: tableInForce(folder), server: predecessor?.server },
    onRequest: (row) => rows.add(row),
  });
  const running = new OwnRouter({ place, router, spool, rows });
  await running.listen();
  predecessor?.taken((row) => rows.add(row));
  return running;
}

interface OwnParts {
  readonly place: RouterPlace;
  readonly router: Router;
  readonly spool: RequestSpool;
  /** Receives the rows of answered requests. */
  readonly rows: { add: (row: RequestRow) => void };
}

class OwnRouter implements RunningRouter {
  readonly pid = process.pid;
  readonly ended: Promise<void>;
  readonly #parts: OwnParts;
  readonly #path: string;
  readonly #look: NodeJS.Timeout;
  /** Only the last one accepts connections; others may have pending commands. */
  readonly #controls: ControlSocket[] = [];
  #successor: Successor | undefined;
  #isReplacing = false;
  #ending: Promise<void> | undefined;
  #tellEnd = (): void => {};

  constructor(parts: OwnParts) {
    const { folder } = parts.place;
    this.#parts = parts;
    this.#path = socketPath(folder, ROUTER_FILES.control);
    this.ended = new Promise<void>((done) => {
      this.#tellEnd = done;
    });
    // A router whose folder is gone is unreachable and must not keep running.
    this.#look = setInterval(() => {
      if (!existsSync(folder)) void this.stop();
    }, FOLDER_LOOK_MS);
  }

  get port(): number {
    return this.#parts.router.port;
  }

  /** Opens the control socket. */
  async listen(): Promise<void> {
    const { router, spool, place } = this.#parts;
    const { host, build = '', predecessor } = place;
    const control = await openControlSocket(this.#path, {
      replace: (table) => router.replace(table),
      state: () => this.#state(),
      keep: async (table) => {
        keepTable(place.folder, table);
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
    const { router, place } = this.#parts;
    this.#ending ??= this.#end();
    // A draining router gets no more time.
    void router.close(ROUTER_GRACE_MS);
    place.predecessor?.stop();
    return this.#ending;
  }

  /** Unfinished requests of a predecessor count as well. */
  #state(): RouterState {
    const { router, place } = this.#parts;
    const state = router.state();
    const underWay = { ...state.underWay };
    for (const [instance, count] of Object.entries(place.predecessor?.underWay ?? {})) {
      underWay[instance] = (underWay[instance] ?? 0) + count;
    }
    return { ...state, underWay };
  }

  async #end(): Promise<void> {
    const { router, spool, place } = this.#parts;
    clearInterval(this.#look);
    for (const control of this.#controls) control.close();
    await router.drain(DRAIN_MS);
    this.#successor?.close();
    place.predecessor?.stop();
    if (existsSync(place.folder)) await spool.flush();
    this.#tellEnd();
  }

  /**
   * Hands over the port to another program.
   *
   * @returns The reason if it did not take over.
   */
  async #handOver(program: Program): Promise<string | undefined> {
    if (this.#isReplacing || this.#ending !== undefined) return 'the router is already stopping';
    this.#isReplacing = true;
    const { router, spool, place, rows } = this.#parts;
    const waiting: RequestRow[] = [];
    this.#controls.at(-1)?.release();
    const successor = await Successor.start({
      ...{ program, folder: place.folder, host: place.host, server: router.server },
      // The successor's files sort after these, so these must not grow any more.
      prepare: () => {
        rows.add = (row) => void waiting.push(row);
        return spool.flush();
      },
      underWay: () => this.#state().underWay,
      replace: (table) => {
        router.replace(table);
        return place.predecessor?.replace(table) ?? Promise.resolve();
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
      this.#ending ??= this.#end();
    });
    return undefined;
  }
}
