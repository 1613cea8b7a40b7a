import type { AnyStateMachine } from 'xstate';
import { auditMachine, version as auditVersion } from '../../src/machines/audit/audit.ts';
import { controlMachine, version as controlVersion } from '../../src/machines/control/control.ts';
import { jobMachine, version as jobVersion } from '../../src/machines/escrow/job.ts';
import { findPanelMachine } from '../../src/machines/panel/panels.ts';
import { paymentMachine, version as paymentVersion } from '../../src/machines/payment/payment.ts';
import { Coverage } from '../../src/testing/coverage.ts';
import type { Driver } from '../../src/testing/driver.ts';
import type { PathOptions, PathSet, TestPath } from '../../src/testing/path.ts';
import { pathSetOf } from '../../src/testing/paths-of.ts';
import { runPath } from '../../src/testing/run-path.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { debateMachine, version as debateVersion } from '../support/debate-machine.ts';
import { ENGINES } from '../support/engines.ts';
import { debateDriver } from './debate-driver.ts';
import { developDriver } from './develop-driver.ts';
import { developWorld } from './develop-world.ts';
import { paymentDriver } from './payment-driver.ts';
import { type Developed, type Driven, FRONT_PLANS } from './plans.ts';

/** The machines whose paths are played through the front. */
export const DRIVEN: Readonly<
  Record<Driven, { readonly machine: AnyStateMachine; readonly version: number }>
> = {
  payment: { machine: paymentMachine, version: paymentVersion },
  debate: { machine: debateMachine, version: debateVersion },
  job: { machine: jobMachine, version: jobVersion },
  control: { machine: controlMachine, version: controlVersion },
  council: { machine: findPanelMachine('council'), version: 1 },
  arbitration: { machine: findPanelMachine('arbitration'), version: 1 },
  audit: { machine: auditMachine, version: auditVersion },
};

/** Kinds, in the order in which they are played. */
export const KINDS = Object.keys(DRIVEN) as readonly Driven[];

/** Paths of a machine as they can be brought about through the front. */
export function frontPaths(kind: Driven, options: PathOptions): PathSet {
  // What a development actor refuses can be sent to it; nobody can send it to the other two.
  const ignored = kind === 'payment' || kind === 'debate' ? 'none' : 'guarded';
  return pathSetOf(DRIVEN[kind].machine, { ...FRONT_PLANS[kind], ignored, ...options });
}

/** Counts what a run through the front goes through. */
export function frontCoverage(kind: Driven): Coverage {
  const title = 'real front with faults';
  return new Coverage({ ...DRIVEN[kind], kind, title });
}

/** Rows for a table of tests: paths by turns over one HTTP engine and the other. */
export function overBothEngines(paths: readonly TestPath[]) {
  return paths.map((path, at) => [ENGINES[at % ENGINES.length] ?? 'node', path.id, path] as const);
}

/** Plays one path through the front; what it goes through is counted. */
export async function playThroughFront(
  kind: Driven,
  path: TestPath,
  o: { readonly http: HttpEngine; readonly coverage: Coverage },
): Promise<void> {
  await runPath(path, await driverFor(kind, path, o.http), { coverage: o.coverage });
}

async function driverFor(kind: Driven, path: TestPath, http: HttpEngine): Promise<Driver> {
  switch (kind) {
    case 'payment':
      return paymentDriver(path, http);
    case 'debate':
      return debateDriver(path, http);
    case 'job':
    case 'control':
    case 'council':
    case 'arbitration':
    case 'audit':
      return worldDriver({ kind, actorId: path.id }, http);
  }
}

/**
 * Drives one development actor in a world of its own.
 *
 * @param machine - Takes the place of the kind's machine.
 */
export async function worldDriver(
  actor: { readonly kind: Developed; readonly actorId: string },
  http: HttpEngine,
  machine?: AnyStateMachine,
): Promise<Driver> {
  const driven = DRIVEN[actor.kind];
  const played = { ...driven, kind: actor.kind, machine: machine ?? driven.machine };
  const world = await developWorld(http, played);
  const driver = developDriver(world, actor);
  const close = async (): Promise<void> => {
    await driver.close();
    await world.close();
  };
  return { ...driver, close };
}
