import type { ActorsFrame } from '../../domain/inspect/wire.ts';
import type { DirectoryBuild } from './directory-build.ts';
import type { Outlet, Source } from './outlet.ts';

/** One console's view of the directory, with the ids that it has yet to receive. */
export class DirectoryClient implements Source {
  readonly #build: DirectoryBuild;
  readonly #outlet: Outlet;
  readonly #end: { fail(thrown: unknown): void; left(): void };
  readonly #owed: Set<string>;
  #isFirst = true;
  #isWhole = false;

  constructor(
    build: DirectoryBuild,
    outlet: Outlet,
    end: { fail(thrown: unknown): void; left(): void },
  ) {
    this.#build = build;
    this.#outlet = outlet;
    this.#end = end;
    this.#owed = new Set(build.ids());
  }

  /** Whether the client has received everything and accepts more. */
  get isLevel(): boolean {
    return this.#isWhole && this.#owed.size === 0 && this.#outlet.isOpen;
  }

  /** Marks actors whose rows must be sent again. */
  owe(ids: Iterable<string>): void {
    for (const id of ids) this.#owed.add(id);
  }

  /** Sends shared frames; marks their actors for later if the outlet is closed. */
  take(frames: readonly ActorsFrame[]): void {
    for (const frame of frames) {
      if (this.#outlet.isOpen) {
        this.#outlet.push({ kind: 'frame', frame });
        continue;
      }
      this.owe(frame.gone);
      this.owe(frame.rows.map(({ id }) => id));
    }
  }

  pump(): void {
    while (this.#outlet.isOpen && this.#hasNews()) {
      const frame = this.#build.frame(this.#owed, this.#isFirst);
      this.#isFirst = false;
      this.#isWhole = frame.isWhole;
      this.#outlet.push({ kind: 'frame', frame });
    }
  }

  fail(thrown: unknown): void {
    this.#end.fail(thrown);
  }

  stop(): void {
    this.#end.left();
  }

  #hasNews(): boolean {
    return this.#owed.size > 0 || (this.#build.isLoaded && !this.#isWhole);
  }
}
