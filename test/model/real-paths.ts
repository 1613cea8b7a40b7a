import type { AnyStateMachine } from 'xstate';
import { alertMachine, version as alertVersion } from '../../src/machines/alert.ts';
import { controlMachine, version as controlVersion } from '../../src/machines/control.ts';
import { jobMachine, version as jobVersion } from '../../src/machines/job.ts';
import { Coverage } from '../../src/testing/coverage.ts';
import type { Driver } from '../../src/testing/driver.ts';
import type { PathOptions, PathPlan, PathSet, TestPath } from '../../src/testing/path.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { runPath } from '../../src/testing/run-path.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { alertDriver } from './alert-driver.ts';
import { ALERT_BEYOND, alertFrontPlan } from './alert-plan.ts';
import { boardJobDriver } from './board-job-driver.ts';
import { BOARD_BEYOND, boardPlan } from './board-plan.ts';
import { BoardServer } from './board-server.ts';
import { CONTROL_BEYOND, controlDriver, controlHttpPlan } from './control-driver.ts';

/** What is driven on a real server, over its HTTP and its chain. */
export const REAL = {
  job: {
    ...{ machine: jobMachine, version: jobVersion, plan: boardPlan, beyond: BOARD_BEYOND },
    ignored: 'none',
  },
  alert: {
    ...{ machine: alertMachine, version: alertVersion, plan: alertFrontPlan },
    ...{ beyond: ALERT_BEYOND, ignored: 'none' },
  },
  control: {
    ...{ machine: controlMachine, version: controlVersion, plan: controlHttpPlan },
    ...{ beyond: CONTROL_BEYOND, ignored: 'guarded' },
  },
} as const satisfies Record<string, RealKind>;

interface RealKind {
  readonly machine: AnyStateMachine;
  readonly version: number;
  readonly plan: PathPlan;
  /** Transitions that nothing outside brings about, with the reason. */
  readonly beyond: Readonly<Record<string, string>>;
  readonly ignored: 'none' | 'guarded';
}

/** Kinds, in the order in which they are played. */
export const REAL_KINDS = Object.keys(REAL) as readonly (keyof typeof REAL)[];

/** Paths of a kind as they can be brought about from outside. */
export function realPaths(kind: keyof typeof REAL, options: PathOptions): PathSet {
  const { machine, plan, ignored } = REAL[kind];
  return pathSetOf(machine, { ...plan, ignored, ...options });
}

/** Counts what a run on a real server goes through. */
export function realCoverage(kind: keyof typeof REAL): Coverage {
  const { machine, version } = REAL[kind];
  return new Coverage({ machine, version, kind, title: 'real server and chain with faults' });
}

/** Servers that are started when a path first needs them, one for each HTTP engine. */
export class RealServers {
  readonly #servers = new Map<HttpEngine, Promise<BoardServer>>();

  /** Plays one path. A control is what a server has one of, so its paths have servers of their own. */
  async play(
    kind: keyof typeof REAL,
    path: TestPath,
    o: { readonly http: HttpEngine; readonly coverage: Coverage },
  ): Promise<void> {
    const { http, coverage } = o;
    const driver =
      kind === 'control'
        ? controlDriver(new BoardServer(http), path)
        : DRIVERS[kind](await this.#server(http), path);
    await runPath(path, driver, { coverage });
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) await (await server).stop();
  }

  #server(http: HttpEngine): Promise<BoardServer> {
    const known = this.#servers.get(http);
    if (known !== undefined) return known;
    const begun = started(new BoardServer(http));
    this.#servers.set(http, begun);
    return begun;
  }
}

const DRIVERS = { job: boardJobDriver, alert: alertDriver } as const satisfies Record<
  string,
  (server: BoardServer, path: TestPath) => Driver
>;

async function started(server: BoardServer): Promise<BoardServer> {
  await server.start();
  return server;
}
