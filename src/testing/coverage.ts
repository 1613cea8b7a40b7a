import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyStateMachine } from 'xstate';
import { AppError } from '../domain/common/error.ts';
import type { CoverageReport } from '../domain/inspect/coverage.ts';
import { buildMachineGraph } from '../machines/graph/machine-graph.ts';
import type { TestPath, TestStep } from './path.ts';

/** Maximum length of a title, in characters. */
const TITLE_CHARS_MAX = 200;

/** The machine whose coverage is counted. */
export interface CoverageSubject {
  readonly machine: AnyStateMachine;
  /** Kind of the actors, as in the console. Default: the id of the machine. */
  readonly kind?: string;
  /** Default 1. */
  readonly version?: number;
  /** Short description of the run. */
  readonly title: string;
}

/** Counts the states and transitions that runs visit. Pass it to every `runPath`. */
export class Coverage {
  readonly #subject: CoverageSubject;
  readonly #states: Map<string, number>;
  readonly #transitions: Map<string, number>;
  #paths = 0;

  /** @throws {AppError} `INPUT_INVALID` if the title is empty or too long for the console. */
  constructor(subject: CoverageSubject) {
    this.#subject = subject;
    const { machine, title } = subject;
    if (title.length < 1 || title.length > TITLE_CHARS_MAX) {
      throw new AppError('INPUT_INVALID', {
        message: `the title has ${title.length} characters; it must have 1 to ${TITLE_CHARS_MAX}`,
        data: { length: title.length, max: TITLE_CHARS_MAX },
      });
    }
    const graph = buildMachineGraph({ kind: machine.id, version: 1, title, machine });
    const own = graph.states.filter(({ parentId }) => parentId !== null);
    this.#states = new Map(own.map(({ id }) => [id, 0]));
    this.#transitions = new Map(graph.transitions.map(({ id }) => [id, 0]));
  }

  /** Counts the start of a path. */
  begin({ begin }: TestPath): void {
    this.#paths += 1;
    incrementAll(this.#transitions, begin.transitionIds);
    incrementAll(
      this.#states,
      new Set([...listSources(begin.transitionIds), ...begin.after.stateIds]),
    );
  }

  /** Counts a step on which system and model agree, including transient states. */
  step({ transitionIds, stateIds }: TestStep): void {
    incrementAll(this.#transitions, transitionIds);
    const entered = stateIds.after.filter((id) => !stateIds.before.includes(id));
    incrementAll(this.#states, new Set([...listSources(transitionIds), ...entered]));
  }

  /** @param at - Milliseconds since 1970. */
  report(at: number): CoverageReport {
    const { machine, kind = machine.id, version = 1, title } = this.#subject;
    const states = Object.fromEntries(this.#states);
    const transitions = Object.fromEntries(this.#transitions);
    return { kind, version, title, at, paths: this.#paths, states, transitions };
  }
}

/** Merges reports of the same machine. Title and time are those of the first. */
export function mergeCoverage(
  first: CoverageReport,
  ...others: readonly CoverageReport[]
): CoverageReport {
  const all = [first, ...others];
  const sum = (part: 'states' | 'transitions'): Record<string, number> => {
    const total: Record<string, number> = {};
    for (const report of all) {
      for (const [id, times] of Object.entries(report[part])) total[id] = (total[id] ?? 0) + times;
    }
    return total;
  };
  const paths = all.reduce((total, report) => total + report.paths, 0);
  return { ...first, paths, states: sum('states'), transitions: sum('transitions') };
}

/** Formats a report as text: coverage, and the ids of what was not visited. */
export function coverageText(report: CoverageReport): string {
  const { kind, version, title, paths } = report;
  const states = computeShare(report.states);
  const transitions = computeShare(report.transitions);
  const head = `${kind} ${version}, ${title}: ${paths} ${paths === 1 ? 'path' : 'paths'}`;
  return [
    head,
    `  states       ${states.text}`,
    ...states.missing.map((id) => `    not entered: ${id}`),
    `  transitions  ${transitions.text}`,
    ...transitions.missing.map((id) => `    not taken: ${id}`),
  ].join('\n');
}

/**
 * Writes a report to where the console reads it: `<data>/coverage` of a server. Replaces a report
 * of the same machine and title.
 *
 * @returns The path of the file.
 */
export function writeCoverage(folder: string, report: CoverageReport): string {
  mkdirSync(folder, { recursive: true });
  const name = `${report.kind} ${report.title}`.toLowerCase().split(/[^a-z0-9]+/);
  const file = join(folder, `${name.filter((word) => word !== '').join('-')}.json`);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  return file;
}

function incrementAll(counts: Map<string, number>, ids: Iterable<string>): void {
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
}

/** Returns the states that transitions leave, including transient ones. */
function listSources(transitionIds: readonly string[]): readonly string[] {
  const sources = transitionIds.map((id) => id.slice(0, id.indexOf('|')));
  return sources.filter((id) => id !== '');
}

function computeShare(counts: Readonly<Record<string, number>>) {
  const all = Object.entries(counts);
  const missing = all.filter(([, times]) => times === 0).map(([id]) => id);
  const walked = all.length - missing.length;
  // Rounded down, so that 100 % means all.
  const percent = all.length === 0 ? 100 : Math.floor((walked * 100) / all.length);
  return { missing, text: `${percent} % (${walked} of ${all.length})` };
}
