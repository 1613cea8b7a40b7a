import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import type { Json } from '../../domain/common/json.ts';
import type { CoverageReport } from '../../domain/inspect/coverage.ts';
import type { Inspection, Inspector, InspectSink } from '../../domain/inspect/inspector.ts';
import type { Reading, Topic } from '../../domain/inspect/message.ts';
import type { RuntimeSource } from '../../domain/inspect/runtime-source.ts';
import type { HelloFrame } from '../../domain/inspect/wire.ts';
import type { NamedMachine } from '../../machines/graph/machine-graph.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { type ActionName, Actions } from './actions.ts';
import { inspectError } from './inspect-error.ts';
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
  readonly paceClock?: Clock;
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
  readonly #actions: Actions;

  constructor(options: InspectorOptions) {
    this.#options = options;
    const paced = { ...options, clock: options.paceClock ?? options.clock };
    this.#readings = new Readings(paced);
    this.#topics = new Topics(paced, this.#readings);
    this.#actions = new Actions(options);
  }

  hello(): HelloFrame {
    const { version, clock, epoch, actions, developmentKinds } = this.#options;
    return { topic: 'hello', version, now: clock.now(), epoch, actions, developmentKinds };
  }

  subscribe(topic: Topic, sink: InspectSink): Promise<Inspection> {
    return named(() => this.#topics.begin(topic, sink));
  }

  read(reading: Reading): Promise<Json> {
    return named(() => this.#readings.read(reading));
  }

  act(action: Parameters<Inspector['act']>[0], by: string): Promise<Json> {
    return named(() => this.#actions.act(action, by));
  }
}

async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown : inspectError(thrown);
  }
}
