import type { Clock } from '../../domain/common/clock.ts';
import type { CoverageReport } from '../../domain/inspect/coverage.ts';
import type { RuntimeSource } from '../../domain/inspect/runtime-source.ts';
import type { NamedMachine } from '../../machines/graph/machine-graph.ts';
import type { Services } from '../common/services.ts';
import type { ActionName } from './console-actions.ts';
import type { PanelView } from './panel/panel-view.ts';
import type { Redaction, Redactor } from './redaction/redaction.ts';
import type { SubjectViews } from './subject-views.ts';

/** Dependencies and permissions of an inspector of any engine. */
export interface EngineInspectorOptions extends Pick<Services, 'clock' | 'engine'> {
  /** Clock that paces pushes. Default: `clock`. */
  readonly pushClock?: Clock;
  /** Machines of the engine's kinds. Kinds without one have no labels and no definition. */
  readonly machines: readonly NamedMachine[];
  readonly redactorOf: (kind: string) => Redactor;
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
  /** Views of panels and audits. Without it, there are none. */
  readonly subjects?: SubjectViews;
}

/** Dependencies and permissions of the inspector of this server. */
export interface InspectorOptions
  extends Omit<EngineInspectorOptions, 'redactorOf' | 'subjects'>,
    Pick<Services, 'blobs'> {
  /** Visible fields per kind; other kinds show nothing. */
  readonly redactions: readonly Redaction[];
  readonly panelViews: readonly PanelView[];
}
