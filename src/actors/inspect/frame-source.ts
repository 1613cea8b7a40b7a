import type { Clock } from '../../domain/common/clock.ts';
import type { Frame } from '../../domain/inspect/wire.ts';
import type { Outlet, Source } from './outlet.ts';
import { Pace } from './pace.ts';

/** Minimum interval between frames of one source, in milliseconds. */
export const FRAME_EVERY_MS = 100;

/** Builds frames and reports changes. */
export interface FrameOrigin {
  make(): Promise<Frame>;
  /** Calls `changed` whenever a new frame would differ. */
  watch(changed: () => void): () => void;
}

/** Frames of one subject, each built once for all clients. */
export class FrameSource {
  readonly #origin: FrameOrigin;
  readonly #pace: Pace;
  readonly #clients = new Set<FrameClient>();
  readonly #stop: () => void;
  #latest: Frame | undefined;
  #isMaking = false;
  #isStale = false;

  constructor(origin: FrameOrigin, clock: Clock) {
    this.#origin = origin;
    this.#pace = new Pace(clock, FRAME_EVERY_MS, () => this.#make());
    this.#stop = origin.watch(() => this.#pace.ask());
  }

  get isWatched(): boolean {
    return this.#clients.size > 0;
  }

  get latest(): Frame | undefined {
    return this.#latest;
  }

  add(client: FrameClient): void {
    this.#clients.add(client);
    client.pump();
    this.#pace.ask();
  }

  remove(client: FrameClient): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    this.#stop();
    this.#pace.stop();
  }

  #make(): void {
    if (this.#isMaking) {
      this.#isStale = true;
      return;
    }
    this.#isMaking = true;
    this.#origin
      .make()
      .then((frame) => {
        this.#latest = frame;
        this.#made();
        for (const client of this.#clients) client.pump();
      })
      .catch((thrown: unknown) => {
        this.#made();
        for (const client of [...this.#clients]) client.fail(thrown);
      });
  }

  #made(): void {
    this.#isMaking = false;
    if (!this.#isStale || !this.isWatched) return;
    this.#isStale = false;
    this.#pace.ask();
  }
}

/** A client of frames. It receives the newest frame when its outlet is open, and none twice. */
export class FrameClient implements Source {
  readonly #source: FrameSource;
  readonly #outlet: Outlet;
  readonly #fail: (thrown: unknown) => void;
  #given: Frame | undefined;

  constructor(source: FrameSource, outlet: Outlet, fail: (thrown: unknown) => void) {
    this.#source = source;
    this.#outlet = outlet;
    this.#fail = fail;
    source.add(this);
  }

  pump(): void {
    const { latest } = this.#source;
    if (latest === undefined || latest === this.#given || !this.#outlet.isOpen) return;
    this.#given = latest;
    this.#outlet.push({ kind: 'frame', frame: latest });
  }

  fail(thrown: unknown): void {
    this.#fail(thrown);
  }

  stop(): void {
    this.#source.remove(this);
  }
}
