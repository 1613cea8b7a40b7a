import type { AnyStateMachine } from 'xstate';
import { alertMachine, version as alertVersion } from '../../src/machines/alert/alert.ts';
import { controlMachine, version as controlVersion } from '../../src/machines/control/control.ts';
import { jobMachine, version as jobVersion } from '../../src/machines/escrow/job.ts';
import { paymentMachine, version as paymentVersion } from '../../src/machines/payment/payment.ts';
import { Coverage } from '../../src/testing/coverage.ts';
import type { Driver } from '../../src/testing/driver.ts';
import type { PathOptions, PathPlan, PathSet, TestPath } from '../../src/testing/path.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { runPath } from '../../src/testing/run-path.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { ENGINES } from '../support/engines.ts';
import { alertDriver } from './alert-driver.ts';
import { ALERT_BEYOND, alertFrontPlan } from './alert-plan.ts';
import { boardJobDriver } from './board-job-driver.ts';
import { BOARD_BEYOND, boardPlan } from './board-plan.ts';
import { BoardServer } from './board-server.ts';
import { CONTROL_BEYOND, controlDriver, controlHttpPlan } from './control-driver.ts';
import { paymentDriver } from './payment-driver.ts';
import { BEYOND, FRONT_PLANS, refundEnds } from './plans.ts';
import { type RealMoney, realMoney } from './real-money.ts';

/** What is driven over real HTTP and a real chain; payments in a server of this process. */
export const REAL = {
  payment: {
    machine: paymentMachine,
    version: paymentVersion,
    plan: paidOnChain(),
    beyond: {
      ...BEYOND.payment,
      'refunding|xstate.done.actor.refund|1':
        'a chain refuses a refund for ever only when its nonce has moved other money',
    },
    ignored: 'none',
  },
  job: {
    machine: jobMachine,
    version: jobVersion,
    plan: boardPlan,
    beyond: BOARD_BEYOND,
    ignored: 'none',
  },
  alert: {
    machine: alertMachine,
    version: alertVersion,
    plan: alertFrontPlan,
    beyond: ALERT_BEYOND,
    ignored: 'none',
  },
  control: {
    machine: controlMachine,
    version: controlVersion,
    plan: controlHttpPlan,
    beyond: CONTROL_BEYOND,
    ignored: 'guarded',
  },
} as const satisfies Record<string, RealKind>;

/** A treasury without money leaves a refund's outcome open: the effect is tried again, and ends. */
function paidOnChain(): PathPlan {
  const { effects, ...plan } = FRONT_PLANS.payment;
  const refund = { ...effects?.['refund'], done: refundEnds(['settled']) };
  return { ...plan, effects: { ...effects, refund } };
}

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
  return new Coverage({ machine, version, kind, title: 'real HTTP and chain with faults' });
}

/** Rows for a table of tests: paths by turns over one HTTP engine and the other. */
export function overBothEngines(paths: readonly TestPath[]) {
  return paths.map((path, at) => [ENGINES[at % ENGINES.length] ?? 'node', path.id, path] as const);
}

/** Servers that are started when a path first needs them, one for each HTTP engine. */
export class RealServers {
  readonly #servers = new Map<HttpEngine, Promise<BoardServer>>();
  #money: Promise<RealMoney> | undefined;

  /**
   * Plays one path. A control is what a server has one of, so its paths have servers of their own.
   */
  async play(
    kind: keyof typeof REAL,
    path: TestPath,
    o: { readonly http: HttpEngine; readonly coverage: Coverage },
  ): Promise<void> {
    const { http, coverage } = o;
    await runPath(path, await this.#driver(kind, path, http), { coverage });
  }

  async close(): Promise<void> {
    await (await this.#money)?.close();
    for (const server of this.#servers.values()) await (await server).stop();
  }

  async #driver(kind: keyof typeof REAL, path: TestPath, http: HttpEngine): Promise<Driver> {
    switch (kind) {
      case 'payment':
        this.#money ??= realMoney();
        return paymentDriver(path, http, await (await this.#money).next());
      case 'job':
        return boardJobDriver(await this.#server(http), path);
      case 'alert':
        return alertDriver(await this.#server(http), path);
      case 'control':
        return controlDriver(new BoardServer(http), path);
    }
  }

  #server(http: HttpEngine): Promise<BoardServer> {
    const known = this.#servers.get(http);
    if (known !== undefined) return known;
    const begun = started(new BoardServer(http));
    this.#servers.set(http, begun);
    return begun;
  }
}

async function started(server: BoardServer): Promise<BoardServer> {
  await server.start();
  return server;
}
