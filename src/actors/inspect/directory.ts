import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { DirectoryBuild } from './directory-build.ts';
import { DirectoryClient } from './directory-client.ts';
import type { Outlet } from './outlet.ts';

/** How long the directory is kept level without anybody to see it, in milliseconds. */
const GRACE_MS = 30 * SECOND_MS;

/** What a directory is made from. */
export interface DirectoryParts {
  readonly engine: ActorEngine;
  readonly clock: Clock;
  readonly rowsMax?: number;
}

/**
 * All actors, for all consoles: read once when the first one looks, kept level while one does, and
 * dropped a while after the last. Without consoles it costs nothing.
 */
export class Directory {
  readonly #parts: DirectoryParts;
  readonly #clients = new Set<DirectoryClient>();
  #build: DirectoryBuild | undefined;
  #cancelDrop: () => void = () => undefined;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
  }

  /** Whether it is built and kept level at the moment. */
  get isKept(): boolean {
    return this.#build !== undefined;
  }

  join(outlet: Outlet, fail: (thrown: unknown) => void): DirectoryClient {
    this.#cancelDrop();
    this.#build ??= new DirectoryBuild(this.#parts, this.#clients, (thrown) =>
      this.#failed(thrown),
    );
    const end = { fail, left: () => this.#leave(client) };
    const client: DirectoryClient = new DirectoryClient(this.#build, outlet, end);
    this.#clients.add(client);
    this.#build.ask();
    return client;
  }

  #leave(client: DirectoryClient): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    const { clock } = this.#parts;
    this.#cancelDrop();
    this.#cancelDrop = clock.at(clock.now() + GRACE_MS, () => this.#drop());
  }

  #drop(): void {
    this.#build?.stop();
    this.#build = undefined;
  }

  #failed(thrown: unknown): void {
    this.#drop();
    for (const client of [...this.#clients]) client.fail(thrown);
  }
}
