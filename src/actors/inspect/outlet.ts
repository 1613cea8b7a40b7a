import type { Inspection, InspectSink, PushBody } from '../../domain/inspect/inspector.ts';

/** Something that pushes through an outlet: as much as the client takes, and no more. */
export interface Source {
  /** Pushes what there is, while the outlet is open. */
  pump(): void;
  stop(): void;
}

/** The way to one subscription's client: shut from a refused push to the next `resume`. */
export class Outlet implements Inspection {
  readonly #sink: InspectSink;
  readonly #sources: Source[] = [];
  #state: 'open' | 'shut' | 'ended' = 'open';

  constructor(sink: InspectSink) {
    this.#sink = sink;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Adds what pushes here; sources have their turns in the order in which they came. */
  add(source: Source): void {
    this.#sources.push(source);
  }

  push(body: PushBody): void {
    if (this.#state !== 'open') return;
    // A sink may end the subscription from inside.
    const keepsUp = this.#sink.push(body);
    if (!keepsUp && this.isOpen) this.#state = 'shut';
  }

  resume(): void {
    if (this.#state !== 'shut') return;
    this.#state = 'open';
    for (const source of this.#sources) {
      if (this.isOpen) source.pump();
    }
  }

  end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    for (const source of this.#sources) source.stop();
  }

  /** Ends it from this side, and says why. */
  fail(body: Extract<PushBody, { kind: 'ended' }>): void {
    if (this.#state === 'ended') return;
    this.end();
    this.#sink.push(body);
  }
}
