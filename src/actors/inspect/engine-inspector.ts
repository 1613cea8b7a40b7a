import { AppError } from '../../domain/common/error.ts';
import type { Json } from '../../domain/common/json.ts';
import type { Inspector, InspectSubscription, PushSink } from '../../domain/inspect/inspector.ts';
import type { ReadQuery, Topic } from '../../domain/inspect/message.ts';
import type { HelloFrame } from '../../domain/inspect/wire.ts';
import { ConsoleActions } from './console-actions.ts';
import { toInspectError } from './inspect-error.ts';
import type { EngineInspectorOptions } from './inspector-options.ts';
import { Readings } from './readings.ts';
import { Topics } from './topics.ts';

/** Creates the inspector of any engine. It costs nothing while nobody is connected. */
export function createEngineInspector(options: EngineInspectorOptions): Inspector {
  return new LiveInspector(options);
}

class LiveInspector implements Inspector {
  readonly #options: EngineInspectorOptions;
  readonly #topics: Topics;
  readonly #readings: Readings;
  readonly #actions: ConsoleActions;

  constructor(options: EngineInspectorOptions) {
    this.#options = options;
    const paced = { ...options, clock: options.pushClock ?? options.clock };
    this.#readings = new Readings(paced);
    this.#topics = new Topics(paced, this.#readings);
    this.#actions = new ConsoleActions(options);
  }

  hello(): HelloFrame {
    const { version, clock, epoch, actions, developmentKinds } = this.#options;
    return { topic: 'hello', version, now: clock.now(), epoch, actions, developmentKinds };
  }

  subscribe(topic: Topic, sink: PushSink): Promise<InspectSubscription> {
    return withPublicErrors(() => this.#topics.subscribe(topic, sink));
  }

  read(reading: ReadQuery): Promise<Json> {
    return withPublicErrors(() => this.#readings.read(reading));
  }

  act(action: Parameters<Inspector['act']>[0], by: string): Promise<Json> {
    return withPublicErrors(() => this.#actions.act(action, by));
  }
}

async function withPublicErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown : toInspectError(thrown);
  }
}
