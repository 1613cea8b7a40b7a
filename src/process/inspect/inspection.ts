import { join } from 'node:path';
import { createInspector } from '../../actors/inspect/inspector.ts';
import { PANEL_VIEWS } from '../../actors/inspect/panel/views.ts';
import { REDACTIONS } from '../../actors/inspect/redaction/kinds.ts';
import type { Inspector } from '../../domain/inspect/inspector.ts';
import { MACHINES } from '../../machines/common/registry.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { VERSION } from '../../version.ts';
import type { ServerServices } from '../server/services.ts';
import { readCoverage } from './coverage-folder.ts';

/** The folder in the data directory with the reports of the testing kit. */
const COVERAGE_FOLDER = 'coverage';

const EPOCH_BYTES = 12;

/** Creates the inspector of this process. */
export function openServerInspector(
  services: Pick<
    ServerServices,
    'blobs' | 'clock' | 'config' | 'engine' | 'environment' | 'random' | 'telemetry'
  >,
): Inspector {
  const { config, environment, random, telemetry } = services;
  return createInspector({
    ...services,
    runtime: telemetry.source,
    actions: config.consoleActions,
    developmentKinds: environment.developmentKinds,
    pushClock: systemClock(),
    machines: MACHINES,
    redactions: REDACTIONS,
    panelViews: PANEL_VIEWS,
    coverage: () => readCoverage(join(config.dataDir, COVERAGE_FOLDER)),
    version: VERSION,
    epoch: Buffer.from(random.bytes(EPOCH_BYTES)).toString('hex'),
  });
}
