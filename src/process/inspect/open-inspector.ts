import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createEngineInspector } from '../../actors/inspect/engine-inspector.ts';
import type { RedactionRule } from '../../actors/inspect/redaction/redaction-rule.ts';
import { createRuleRedactors } from '../../actors/inspect/redaction/rule-redactor.ts';
import { AppError } from '../../domain/common/error.ts';
import type { NamedMachine } from '../../machines/graph/machine-graph.ts';
import type { AppParts } from '../../runtime/durable/app-parts.ts';
import { partsOf, withChildren } from '../../runtime/durable/app-parts.ts';
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { createConsoleHost } from '../../transport/console/console-host.ts';
import { VERSION } from '../../version.ts';
import { systemRandom } from '../server/system.ts';
import { openAppMetrics } from './app-metrics.ts';
import { LiveCharts } from './live-charts.ts';

/** Name of the folder of the built pages, in `dist`. */
const PAGES_FOLDER = 'inspector-page';
const ACTIONS: readonly InspectorAction[] = ['send', 'retry', 'fork'];
const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{16,128}$/;
const EPOCH_BYTES = 12;
const PORT_MAX = 65_535;

/** What a person may do in the inspector. */
export type InspectorAction = 'send' | 'retry' | 'fork';

/** Options of `openInspector`. */
export interface OpenInspectorOptions {
  /** Default 0: a free port. */
  readonly port?: number;
  /** Hides values before they leave the process. Default: nothing is hidden. */
  readonly redact?: readonly RedactionRule[];
  /** Default: all. An empty list makes the inspector read-only. */
  readonly actions?: readonly InspectorAction[];
  /**
   * Opens the inspector: 16 to 128 letters, digits, `_` and `-`. Default: a random one, new with
   * every start.
   */
  readonly token?: string;
  /** The kinds of an engine that `durable` did not create, for charts and events. */
  readonly definitions?: readonly Definition[];
  /** Receives internal errors. Default: a line on standard error. */
  readonly onFault?: (error: Error) => void;
}

/** A running inspector. */
export interface OpenedInspector {
  /** The link that opens it. Whoever has the link can do everything that `actions` allows. */
  readonly url: string;
  /** The token of the link, for programs: `Authorization: Bearer <token>`. */
  readonly token: string;
  close(): Promise<void>;
}

/**
 * Opens the console of an app on this machine: actors by kind and state, live charts, journals,
 * time travel, forks, dead letters and metrics. Only programs and browsers of this machine can
 * reach it, and only with the token. It ends with `app.close()`, and keeps the process alive until
 * then.
 *
 * @param target - An app from `durable`, or an engine. Pass `definitions` with an engine.
 * @throws {AppError} `PORT_IN_USE`; `CONFIG_INVALID` if an option is not allowed.
 * @example
 * const { url } = await openInspector(app, { redact: ['**.password'] });
 */
export async function openInspector(
  target: ActorEngine | { readonly engine: ActorEngine },
  options: OpenInspectorOptions = {},
): Promise<OpenedInspector> {
  checkOptions(options);
  const engine = 'engine' in target ? target.engine : target;
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
    actions: options.actions ?? ACTIONS,
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

/** @throws {AppError} `CONFIG_INVALID` */
function checkOptions({ port = 0, token, actions = [] }: OpenInspectorOptions): void {
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX) {
    throw optionError('port', port, `an integer from 0 to ${PORT_MAX}`);
  }
  if (token !== undefined && !TOKEN.test(token)) {
    throw optionError('token', `${token.length} characters`, '16 to 128 of A-Z a-z 0-9 _ -');
  }
  const unknown = actions.find((action) => !ACTIONS.includes(action));
  if (unknown !== undefined) throw optionError('actions', unknown, ACTIONS.join(', '));
}

function optionError(name: string, received: unknown, allowed: string): AppError {
  const message = `${name} is ${String(received)}; it must be ${allowed}.`;
  return new AppError('CONFIG_INVALID', { message, data: { name, received, allowed } });
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
