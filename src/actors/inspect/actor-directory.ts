import { SECOND_MS } from '../../domain/common/time.ts';
import { type ActorDirectoryDeps, DirectoryBuild } from './directory-build.ts';
import { DirectoryClient } from './directory-client.ts';
import type { Outlet } from './outlet.ts';

/** How long the directory is kept without consoles, in milliseconds. */
const GRACE_MS = 30 * SECOND_MS;

/**
 * All actors, for all consoles. It is built for the first console, kept up to date while one is
 * connected, and dropped some time after the last leaves.
 */
export class ActorDirectory {
  readonly #parts: ActorDirectoryDeps;
  readonly #clients = new Set<DirectoryClient>();
  #build: DirectoryBuild | undefined;
  #cancelDrop: () => void = () => undefined;

  constructor(parts: ActorDirectoryDeps) {
    this.#parts = parts;
  }

  /** Whether the directory is currently built and kept up to date. */
  get isBuilt(): boolean {
    return this.#build !== undefined;
  }

  join(outlet: Outlet, fail: (thrown: unknown) => void): DirectoryClient {
    this.#cancelDrop();
    this.#build ??= new DirectoryBuild(this.#parts, this.#clients, (thrown) =>
      this.#onFailure(thrown),
    );
    const end = { fail, left: () => this.#leave(client) };
    const client: DirectoryClient = new DirectoryClient(this.#build, outlet, end);
    this.#clients.add(client);
    this.#build.requestFrame();
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

  #onFailure(thrown: unknown): void {
    this.#drop();
    for (const client of [...this.#clients]) client.fail(thrown);
  }
}
