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

/** How long requests at work may take after the router was told to end, in milliseconds. */
export const ROUTER_GRACE_MS = 30_000;

/** How long what was begun may go on after another router took over, such as a WebSocket. */
const DRAIN_MS = 15 * 60_000;

/** Time between two looks whether its folder is still there, in milliseconds. */
const FOLDER_LOOK_MS = 1_000;

/** Where a router runs. */
export interface RouterPlace {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly now: () => number;
  /** Names the program, so that one of another build can be told from it. */
  readonly build?: string | undefined;
  /** The router whose port it takes over. */
  readonly predecessor?: Predecessor | undefined;
}

/** A router that runs as a process of its own. */
export interface RunningRouter {
  readonly port: number;
  readonly pid: number;
  /** Ends it in order; again: the same end. */
  stop(): Promise<void>;
  /** When it has ended, also by an order over its socket. */
  readonly ended: Promise<void>;
}

/**
 * Runs the router of a folder: with the table that was in force last, a socket for orders, and a
 * spool of what was answered.
 *
 * @throws {AppError} `CONFIG_INVALID` for a table that is none; `PORT_IN_USE`
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
  /** Where rows of answered requests go. */
  readonly rows: { add: (row: RequestRow) => void };
}

class OwnRouter implements RunningRouter {
  readonly pid = process.pid;
  readonly ended: Promise<void>;
  readonly #parts: OwnParts;
  readonly #path: string;
  readonly #look: NodeJS.Timeout;
  /** The last one is open; others have orders at work. */
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
    // Nobody can reach a router whose folder is gone: it must not stay behind.
    this.#look = setInterval(() => {
      if (!existsSync(folder)) void this.stop();
    }, FOLDER_LOOK_MS);
  }

  get port(): number {
    return this.#parts.router.port;
  }

  /** Opens the socket for orders. */
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
      // Its answer goes out first.
      stop: () => void setImmediate(() => void this.stop()),
      handOver: (program) => this.#handOver(program),
      facts: () => ({ pid: process.pid, host, port: this.port, build, dropped: spool.dropped }),
    });
    this.#controls.push(control);
  }

  stop(): Promise<void> {
    const { router, place } = this.#parts;
    this.#ending ??= this.#end();
    // One that drains has no more time from now on.
    void router.close(ROUTER_GRACE_MS);
    place.predecessor?.stop();
    return this.#ending;
  }

  /** What is under way is that of a router of before too. */
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

  /** Gives the port to another program. @returns Why it did not take it. */
  async #handOver(program: Program): Promise<string | undefined> {
    if (this.#isReplacing || this.#ending !== undefined) return 'it ends already';
    this.#isReplacing = true;
    const { router, spool, place, rows } = this.#parts;
    const waiting: RequestRow[] = [];
    this.#controls.at(-1)?.release();
    const successor = await Successor.start({
      ...{ program, folder: place.folder, host: place.host, server: router.server },
      // Files of the one that goes on come after these, and to these nothing is added any more.
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
    // Its answer goes out first.
    setImmediate(() => {
      this.#ending ??= this.#end();
    });
    return undefined;
  }
}
