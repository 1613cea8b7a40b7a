import { AppError } from '../../domain/common/error.ts';
import { MACHINES, type RegisteredMachine } from '../../machines/common/registry.ts';
import type { PathPlan, PathSet } from '../../testing/path.ts';
import { pathLines } from '../../testing/path-failure.ts';
import { pathSetOf } from '../../testing/paths-of.ts';
import { findPlan } from '../../testing/plans/plans.ts';
import { seedFrom } from '../../testing/seeded-random.ts';
import { toSavedStep } from '../../testing/walk.ts';
import type { Input } from '../common/usage.ts';
import type { DEVELOP } from '../usage/develop.ts';
import { loadMachine } from './machine-module.ts';

type Machine = RegisteredMachine['machine'];

/** A machine and the plan of events for its paths. */
interface NamedMachine {
  readonly name: string;
  readonly machine: Machine;
  readonly plan: PathPlan;
}

/** `stoa paths`: lists the paths through a machine. */
export async function paths(values: Input<typeof DEVELOP.paths>): Promise<number> {
  const listed = await loadNamedMachine(values.machine);
  const seed = parseSeed(values.seed);
  const set = pathSetOf(listed.machine, { ...listed.plan, how: values.how, seed });
  const text = values.json
    ? JSON.stringify(toJson(listed, set, values.count))
    : formatPage(listed, set, values.count).join('\n');
  process.stdout.write(`${text}\n`);
  return 0;
}

function parseSeed(given: string | undefined): number {
  if (given === undefined) return seedFrom(process.env, 1);
  const seed = /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(seed)) return seed;
  const message = `--seed is ${JSON.stringify(given)}; it must be a whole number from 0.`;
  throw usageError(message, { seed: given });
}

async function loadNamedMachine(name: string): Promise<NamedMachine> {
  const kinds = MACHINES.map(({ kind }) => kind);
  const allowed = `it must be one of ${kinds.join(', ')}, or a file such as order.mjs#machine`;
  const known = MACHINES.find(({ kind }) => kind === name);
  if (known !== undefined) {
    return { name, machine: known.machine, plan: findPlan(name) ?? {} };
  }
  if (!/\.[mc]?js(#|$)/.test(name)) {
    throw usageError(`The machine is ${JSON.stringify(name)}; ${allowed}.`, { machine: name });
  }
  return loadFromFile(name);
}

/** Loads a machine and its `plan` export from a module. */
async function loadFromFile(name: string): Promise<NamedMachine> {
  const { machine, module } = await loadMachine(name);
  return { name: machine.id, machine, plan: (module['plan'] ?? {}) as PathPlan };
}

function formatHead(
  { name }: NamedMachine,
  { paths: found, transitionIds, coveredIds }: PathSet,
): string {
  const [count, all] = [found.length, transitionIds.length];
  const words = count === 1 ? '1 path covers' : `${count} paths cover`;
  return `${name}: ${words} ${coveredIds.length} of ${all} transitions`;
}

function formatPage(listed: NamedMachine, set: PathSet, isCount: boolean): readonly string[] {
  const missing = [
    ...set.unreachedIds.map((id) => `${describeReach(set)}: ${id}`),
    ...set.poisons.map((poison) => `throws in ${poison}`),
  ];
  const head = [formatHead(listed, set), ...missing];
  if (isCount) return head;
  return [...head, ...set.paths.flatMap((path) => ['', path.id, ...pathLines(path)])];
}

function describeReach({ bounds }: PathSet): string {
  if (bounds.length === 0) return 'unreachable';
  return `not reached within the bounds (${bounds.join(', ')})`;
}

function toJson(listed: NamedMachine, set: PathSet, isCount: boolean): object {
  const { paths: found, transitionIds, coveredIds, unreachedIds, poisons } = set;
  const covered = coveredIds.length;
  const sums = { machine: listed.name, paths: found.length, covered };
  const reach = { unreached: unreachedIds, bounds: set.bounds };
  const facts = { ...sums, transitions: transitionIds.length, ...reach, poisons };
  if (isCount) return facts;
  const list = found.map(({ id, input, begin, steps }) => ({
    id,
    input,
    begin: begin.transitionIds,
    steps: steps.map((step) => ({
      ...toSavedStep(step),
      transitions: step.transitionIds,
      states: step.stateIds.after,
    })),
  }));
  return { ...facts, list };
}

function usageError(message: string, data: Readonly<Record<string, unknown>>): AppError {
  return new AppError('CONFIG_INVALID', { message, data });
}
