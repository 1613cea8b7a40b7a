import type { ActorsFrame } from '../../domain/inspect/wire.ts';
import type { DirectoryBuild, DirectoryReader } from './directory-build.ts';
import type { Outlet, PushSource } from './outlet.ts';

/** One console's view of the directory, with the ids that it has yet to receive. */
export class DirectoryClient implements PushSource, DirectoryReader {
  readonly #build: DirectoryBuild;
  readonly #outlet: Outlet;
  readonly #callbacks: { fail(thrown: unknown): void; left(): void };
  readonly #pendingIds: Set<string>;
  #isFirst = true;
  #isWhole = false;

  constructor(
    build: DirectoryBuild,
    outlet: Outlet,
    end: { fail(thrown: unknown): void; left(): void },
  ) {
    this.#build = build;
    this.#outlet = outlet;
    this.#callbacks = end;
    this.#pendingIds = new Set(build.ids());
  }

  /** Whether the client has received everything and accepts more. */
  get isCurrent(): boolean {
    return this.#isWhole && this.#pendingIds.size === 0 && this.#outlet.isOpen;
  }

  /** Marks actors whose rows must be sent again. */
  markPending(ids: Iterable<string>): void {
    for (const id of ids) this.#pendingIds.add(id);
  }

  /** Sends shared frames; marks their actors for later if the outlet is closed. */
  pushFrames(frames: readonly ActorsFrame[]): void {
    for (const frame of frames) {
      if (this.#outlet.isOpen) {
        this.#outlet.push({ kind: 'frame', frame });
        continue;
      }
      this.markPending(frame.gone);
      this.markPending(frame.rows.map(({ id }) => id));
    }
  }

  pump(): void {
    while (this.#outlet.isOpen && this.#hasPending()) {
      const frame = this.#build.createFrame(this.#pendingIds, this.#isFirst);
      this.#isFirst = false;
      this.#isWhole = frame.isWhole;
      this.#outlet.push({ kind: 'frame', frame });
    }
  }

  fail(thrown: unknown): void {
    this.#callbacks.fail(thrown);
  }

  stop(): void {
    this.#callbacks.left();
  }

  #hasPending(): boolean {
    return this.#pendingIds.size > 0 || (this.#build.isLoaded && !this.#isWhole);
  }
}
