import { join } from 'node:path';
import type { ActionName } from '../../actors/inspect/console-actions.ts';
import { createInspector } from '../../actors/inspect/inspector.ts';
import { PANEL_VIEWS } from '../../actors/inspect/panel/views.ts';
import { REDACTIONS } from '../../actors/inspect/redaction/kinds.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { Inspector } from '../../domain/inspect/inspector.ts';
import type { RuntimeSource } from '../../domain/inspect/runtime-source.ts';
import { MACHINES } from '../../machines/common/registry.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { VERSION } from '../../version.ts';
import { systemRandom } from '../server/system.ts';
import { readCoverage } from './coverage-folder.ts';

/** The folder in the data directory with the reports of the testing kit. */
const COVERAGE_FOLDER = 'coverage';

const EPOCH_BYTES = 12;

/** The components that consoles inspect. */
export interface InspectionDeps {
  readonly engine: ActorEngine;
  readonly blobs: BlobStore;
  /** The clock of the actors. */
  readonly clock: Clock;
  readonly runtime: RuntimeSource;
  readonly dataDir: string;
  readonly actions: readonly ActionName[];
  readonly developmentKinds: readonly string[];
}

/** Creates the inspector of this process. */
export function openInspector({ dataDir, ...parts }: InspectionDeps): Inspector {
  return createInspector({
    ...parts,
    pushClock: systemClock(),
    machines: MACHINES,
    redactions: REDACTIONS,
    panelViews: PANEL_VIEWS,
    coverage: () => readCoverage(join(dataDir, COVERAGE_FOLDER)),
    version: VERSION,
    epoch: Buffer.from(systemRandom.bytes(EPOCH_BYTES)).toString('hex'),
  });
}
