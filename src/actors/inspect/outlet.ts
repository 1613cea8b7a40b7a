import type { InspectSubscription, PushBody, PushSink } from '../../domain/inspect/inspector.ts';

/** A source that pushes to an outlet while the client accepts data. */
export interface PushSource {
  /** Pushes pending data while the outlet is open. */
  pump(): void;
  stop(): void;
}

/** The channel to one subscriber. It closes when a push is refused and reopens on `resume`. */
export class Outlet implements InspectSubscription {
  readonly #sink: PushSink;
  readonly #sources: PushSource[] = [];
  #state: 'open' | 'shut' | 'ended' = 'open';

  constructor(sink: PushSink) {
    this.#sink = sink;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Adds a source; sources push in the order in which they were added. */
  add(source: PushSource): void {
    this.#sources.push(source);
  }

  push(body: PushBody): void {
    if (this.#state !== 'open') return;
    // The sink may end the subscription during the push.
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

  close(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    for (const source of this.#sources) source.stop();
  }

  /** Ends the subscription from the server, with the reason. */
  fail(body: Extract<PushBody, { kind: 'ended' }>): void {
    if (this.#state === 'ended') return;
    this.close();
    this.#sink.push(body);
  }
}
