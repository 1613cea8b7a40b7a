import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createEngineInspector } from '../../actors/inspect/engine-inspector.ts';
import { createRuleRedactors } from '../../actors/inspect/redaction/rule-redactor.ts';
import type { NamedMachine } from '../../machines/graph/machine-graph.ts';
import type { AppParts } from '../../runtime/durable/app-parts.ts';
import { partsOf, withChildren } from '../../runtime/durable/app-parts.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { createConsoleHost } from '../../transport/console/console-host.ts';
import { VERSION } from '../../version.ts';
import { systemRandom } from '../server/system.ts';
import { openAppMetrics } from './app-metrics.ts';
import type { OpenedInspector, OpenInspectorOptions } from './inspector-types.ts';
import { INSPECTOR_ACTIONS } from './inspector-types.ts';
import { LiveCharts } from './live-charts.ts';

/** Name of the folder of the built pages, in `dist`. */
const PAGES_FOLDER = 'inspector-page';
const TOKEN_BYTES = 24;
const EPOCH_BYTES = 12;

/**
 * Starts an inspector with checked options.
 *
 * @throws {AppError} `PORT_IN_USE`
 */
export async function startInspector(
  engine: ActorEngine,
  options: OpenInspectorOptions,
): Promise<OpenedInspector> {
  const parts = partsOf(engine);
  const machines = listMachines(parts, options);
  const token = options.token ?? Buffer.from(systemRandom.bytes(TOKEN_BYTES)).toString('base64url');
  const clock = systemClock();
  const metrics = openAppMetrics({ engine, parts, clock, consoles: () => host.count() });
  const charts = new LiveCharts(machines);
  const inspector = createEngineInspector({
    engine,
    clock: parts?.clock ?? clock,
    pushClock: clock,
    machines,
    redactorOf: createRuleRedactors(options.redact ?? []),
    runtime: metrics.source,
    coverage: async () => [],
    version: VERSION,
    epoch: Buffer.from(systemRandom.bytes(EPOCH_BYTES)).toString('hex'),
    actions: options.actions ?? INSPECTOR_ACTIONS,
    developmentKinds: machines.map(({ kind }) => kind),
  });
  const host = createConsoleHost({
    folder: findPages(),
    inspector,
    token,
    clock,
    random: systemRandom,
    readChart: (name) => charts.read(name),
    onFault: options.onFault ?? printFault,
  });
  const close = async (): Promise<void> => {
    parts?.closers.delete(close);
    metrics.close();
    await host.close();
  };
  try {
    const url = await host.listen(options.port ?? 0);
    parts?.closers.add(close);
    return { url, token, close };
  } catch (thrown) {
    metrics.close();
    throw thrown;
  }
}

function listMachines(
  parts: AppParts | undefined,
  { definitions = [] }: OpenInspectorOptions,
): readonly NamedMachine[] {
  const all = parts?.definitions ?? withChildren(definitions);
  return all.map(({ kind, version, machine }) => ({ kind, version, machine, title: kind }));
}

/** Finds the built pages beside this module, in the package or in a checkout. */
function findPages(): string {
  let folder = import.meta.dirname;
  for (;;) {
    const found = [join(folder, PAGES_FOLDER), join(folder, 'dist', PAGES_FOLDER)].find(existsSync);
    if (found !== undefined || folder === dirname(folder)) return found ?? PAGES_FOLDER;
    folder = dirname(folder);
  }
}

function printFault(error: Error): void {
  process.stderr.write(`inspector: ${error.message}\n`);
}
