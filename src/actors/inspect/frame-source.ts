import type { Clock } from '../../domain/common/clock.ts';
import type { Frame } from '../../domain/inspect/wire.ts';
import type { Outlet, PushSource } from './outlet.ts';
import { Throttle } from './throttle.ts';

/** Minimum interval between frames of one source, in milliseconds. */
export const FRAME_INTERVAL_MS = 100;

/** Builds frames and reports changes. */
export interface FrameProducer {
  create(): Promise<Frame>;
  /** Calls `changed` whenever a new frame would differ. */
  watch(changed: () => void): () => void;
}

/** Frames of one subject, each built once for all clients. */
export class FrameSource {
  readonly #producer: FrameProducer;
  readonly #throttle: Throttle;
  readonly #clients = new Set<FrameClient>();
  readonly #stop: () => void;
  #latest: Frame | undefined;
  #isCreating = false;
  #isStale = false;

  constructor(origin: FrameProducer, clock: Clock) {
    this.#producer = origin;
    this.#throttle = new Throttle(clock, FRAME_INTERVAL_MS, () => this.#createFrame());
    this.#stop = origin.watch(() => this.#throttle.request());
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
    this.#throttle.request();
  }

  remove(client: FrameClient): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    this.#stop();
    this.#throttle.stop();
  }

  #createFrame(): void {
    if (this.#isCreating) {
      this.#isStale = true;
      return;
    }
    this.#isCreating = true;
    this.#producer
      .create()
      .then((frame) => {
        this.#latest = frame;
        this.#onCreated();
        for (const client of this.#clients) client.pump();
      })
      .catch((thrown: unknown) => {
        this.#onCreated();
        for (const client of [...this.#clients]) client.fail(thrown);
      });
  }

  #onCreated(): void {
    this.#isCreating = false;
    if (!this.#isStale || !this.isWatched) return;
    this.#isStale = false;
    this.#throttle.request();
  }
}

/** A client of frames. It receives the newest frame when its outlet is open, and none twice. */
export class FrameClient implements PushSource {
  readonly #source: FrameSource;
  readonly #outlet: Outlet;
  readonly #fail: (thrown: unknown) => void;
  #sent: Frame | undefined;

  constructor(source: FrameSource, outlet: Outlet, fail: (thrown: unknown) => void) {
    this.#source = source;
    this.#outlet = outlet;
    this.#fail = fail;
    source.add(this);
  }

  pump(): void {
    const { latest } = this.#source;
    if (latest === undefined || latest === this.#sent || !this.#outlet.isOpen) return;
    this.#sent = latest;
    this.#outlet.push({ kind: 'frame', frame: latest });
  }

  fail(thrown: unknown): void {
    this.#fail(thrown);
  }

  stop(): void {
    this.#source.remove(this);
  }
}
