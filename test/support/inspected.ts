import { createInspector } from '../../src/actors/inspect/inspector.ts';
import type { InspectorOptions } from '../../src/actors/inspect/inspector-options.ts';
import { PANEL_VIEWS } from '../../src/actors/inspect/panel/views.ts';
import { REDACTIONS } from '../../src/actors/inspect/redaction/kinds.ts';
import type { JsonObject } from '../../src/domain/common/json.ts';
import type {
  Inspector,
  InspectSubscription,
  PushBody,
} from '../../src/domain/inspect/inspector.ts';
import type { Topic } from '../../src/domain/inspect/message.ts';
import type { RuntimeSource } from '../../src/domain/inspect/runtime-source.ts';
import type { ActorsFrame, Frame, JournalRow } from '../../src/domain/inspect/wire.ts';
import { MACHINES } from '../../src/machines/common/registry.ts';
import type { ActorEngine } from '../../src/runtime/engine/types.ts';
import { counter, hold } from './actors.ts';
import { memoryBlobs } from './debate.ts';
import { createFullRedaction } from './full-redaction.ts';
import { realClock } from './real-clock.ts';

/** A runtime source that has one sample, and tells more when it is asked. */
export function oneSample(): RuntimeSource & { tell(at: number): void } {
  const listeners = new Set<(frame: ReturnType<RuntimeSource['history']>) => void>();
  const frame = (isFirst: boolean, at: number) =>
    ({ topic: 'runtime', isFirst, samples: [{ at }], store: [], effects: [] }) as never;
  return {
    history: () => frame(true, 1),
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell: (at) => {
      for (const listener of listeners) listener(frame(false, at));
    },
  };
}

/** An inspector over an engine with counters, holds and the machines of Stoa. */
export function inspectorOf(
  options: Partial<InspectorOptions> & Pick<InspectorOptions, 'engine'>,
): Inspector {
  return createInspector({
    blobs: memoryBlobs(),
    clock: realClock,
    machines: [
      ...MACHINES,
      { kind: 'counter', version: 1, title: 'Counter', machine: counter.machine },
      { kind: 'hold', version: 1, title: 'Hold', machine: hold.machine },
    ],
    redactions: [...REDACTIONS, createFullRedaction('counter'), createFullRedaction('hold')],
    panelViews: PANEL_VIEWS,
    runtime: oneSample(),
    coverage: async () => [],
    version: '0.0.0',
    epoch: 'epoch',
    actions: [],
    developmentKinds: [],
    ...options,
  });
}

/** A client that keeps what it is pushed, and can be slow. */
export class Watcher {
  readonly pushes: PushBody[] = [];
  /** Asked at every push whether the client keeps up. */
  keepsUp: () => boolean = () => true;
  /** Pushes that came after a refusal and before `resume`. */
  early = 0;
  #isShut = false;
  #inspection: InspectSubscription | undefined;

  /** Subscribes. */
  static async on(inspector: Inspector, topic: Topic, setting: Partial<Watcher> = {}) {
    const watcher = new Watcher();
    if (setting.keepsUp !== undefined) watcher.keepsUp = setting.keepsUp;
    watcher.#inspection = await inspector.subscribe(topic, watcher);
    return watcher;
  }

  push(body: PushBody): boolean {
    if (this.#isShut) this.early += 1;
    this.pushes.push(JSON.parse(JSON.stringify(body)) as PushBody);
    this.#isShut = !this.keepsUp();
    return !this.#isShut;
  }

  get isShut(): boolean {
    return this.#isShut;
  }

  resume(): void {
    this.#isShut = false;
    this.#inspection?.resume();
  }

  end(): void {
    this.#inspection?.close();
  }

  /** Frames of a topic. */
  frames<Topic extends Frame['topic']>(topic: Topic): Extract<Frame, { topic: Topic }>[] {
    return this.pushes.flatMap((push) =>
      push.kind === 'frame' && push.frame.topic === topic
        ? [push.frame as Extract<Frame, { topic: Topic }>]
        : [],
    );
  }

  get rows(): JournalRow[] {
    return this.pushes.flatMap((push) => (push.kind === 'rows' ? push.rows : []));
  }

  get shown(): JsonObject[] {
    return this.pushes.flatMap((push) => (push.kind === 'shown' ? [push.event] : []));
  }

  /** The directory as a page puts it together. */
  directory(): { rows: Map<string, ActorsFrame['rows'][number]>; last: ActorsFrame | undefined } {
    const rows = new Map<string, ActorsFrame['rows'][number]>();
    const frames = this.frames('actors');
    for (const frame of frames) {
      if (frame.isFirst) rows.clear();
      for (const row of frame.rows) rows.set(row.id, row);
      for (const id of frame.gone) rows.delete(id);
    }
    return { rows, last: frames.at(-1) };
  }
}

/** Waits in real time until something holds. */
export async function until(holds: () => boolean, what: string, limitMs = 10_000): Promise<void> {
  const end = Date.now() + limitMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`it never came to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Adds to a counter. */
export function add(engine: ActorEngine, id: string, n = 1) {
  return engine.tell(id, { type: 'ADD', n });
}

/** The rows of an answer that has some. */
export function rowsOf(answer: unknown): readonly { readonly id: string }[] {
  return (answer as { rows: { id: string }[] }).rows;
}
