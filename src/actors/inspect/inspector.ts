import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import type { Json } from '../../domain/common/json.ts';
import type { CoverageReport } from '../../domain/inspect/coverage.ts';
import type { Inspector, InspectSubscription, PushSink } from '../../domain/inspect/inspector.ts';
import type { ReadQuery, Topic } from '../../domain/inspect/message.ts';
import type { RuntimeSource } from '../../domain/inspect/runtime-source.ts';
import type { HelloFrame } from '../../domain/inspect/wire.ts';
import type { NamedMachine } from '../../machines/graph/machine-graph.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { type ActionName, ConsoleActions } from './console-actions.ts';
import { toInspectError } from './inspect-error.ts';
import type { PanelView } from './panel/panel-view.ts';
import { Readings } from './readings.ts';
import type { Redaction } from './redaction/redaction.ts';
import { Topics } from './topics.ts';

/** Dependencies and permissions of an inspector. */
export interface InspectorOptions {
  readonly engine: ActorEngine;
  readonly blobs: BlobStore;
  /** Clock of the actors. */
  readonly clock: Clock;
  /** Clock that paces pushes. Default: `clock`. */
  readonly pushClock?: Clock;
  /** Machines of the engine's kinds. Kinds without one have no labels and no definition. */
  readonly machines: readonly NamedMachine[];
  /** Visible fields per kind; other kinds show nothing. */
  readonly redactions: readonly Redaction[];
  readonly panelViews: readonly PanelView[];
  readonly runtime: RuntimeSource;
  /** Returns coverage reports that the testing kit has written. */
  readonly coverage: () => Promise<readonly CoverageReport[]>;
  readonly version: string;
  /** Changes with every server start. */
  readonly epoch: string;
  /** Actions that the operator has enabled. */
  readonly actions: readonly ActionName[];
  /** Kinds that accept test events and whose forks keep their timers. */
  readonly developmentKinds: readonly string[];
  /** Maximum number of directory rows. */
  readonly rowsMax?: number;
}

/** Creates the inspector behind the console. It costs nothing while nobody is connected. */
export function createInspector(options: InspectorOptions): Inspector {
  return new LiveInspector(options);
}

class LiveInspector implements Inspector {
  readonly #options: InspectorOptions;
  readonly #topics: Topics;
  readonly #readings: Readings;
  readonly #actions: ConsoleActions;

  constructor(options: InspectorOptions) {
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
