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

/** What an inspector looks into, and what it may do. */
export interface InspectorOptions {
  readonly engine: ActorEngine;
  readonly blobs: BlobStore;
  /** The one that actors live by. */
  readonly clock: Clock;
  /** The one that pushes wait by; they are for people. Default: `clock`. */
  readonly paceClock?: Clock;
  /** All machines of the engine's kinds; those without one have no labels and no definition. */
  readonly machines: readonly NamedMachine[];
  /** What may be seen of each kind; of other kinds nothing is. */
  readonly redactions: readonly Redaction[];
  readonly panelViews: readonly PanelView[];
  readonly runtime: RuntimeSource;
  /** Reports that the testing kit left behind. */
  readonly coverage: () => Promise<readonly CoverageReport[]>;
  readonly version: string;
  /** Changes with every start of the server. */
  readonly epoch: string;
  /** Actions that the operator turned on. */
  readonly actions: readonly ActionName[];
  /** Kinds that take test events, and whose copies go on living. */
  readonly developmentKinds: readonly string[];
  /** Most rows of the directory. */
  readonly rowsMax?: number;
}

/** Makes what consoles look through. It costs nothing while nobody does. */
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
