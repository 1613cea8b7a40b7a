import type { CoverageReport } from '../../../src/domain/inspect/coverage.ts';
import type { MachineGraph } from '../../../src/domain/inspect/graph.ts';

/** Largest report file, in bytes. The report of the largest machine has 20 KB. */
export const REPORT_BYTES_MAX = 1024 * 1024;

/** A parsed report, or why the text is not one. */
export type ParsedReport = { readonly report: CoverageReport } | { readonly fault: string };

/** Parses a report file chosen by the user; the content is untrusted. */
export function parseReport(text: string): ParsedReport {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'The file is not valid JSON.' };
  }
  if (!isRecord(value)) return { fault: 'The file is not a JSON object.' };
  const { kind, version, states, transitions } = value;
  if (typeof kind !== 'string' || typeof version !== 'number') {
    return { fault: 'The file has no machine: `kind` or `version` is missing.' };
  }
  if (!isCounts(states) || !isCounts(transitions)) {
    return { fault: 'The file has no counts: `states` and `transitions` must map ids to numbers.' };
  }
  const { title, at, paths } = value;
  return {
    report: {
      kind,
      version,
      states,
      transitions,
      title: typeof title === 'string' ? title : 'a report',
      at: typeof at === 'number' ? at : 0,
      paths: typeof paths === 'number' ? paths : 0,
    },
  };
}

/** Covered and uncovered parts of a machine. */
export interface CoverageSummary {
  readonly states: number;
  readonly transitions: number;
  readonly uncoveredStates: readonly string[];
  readonly uncoveredTransitions: readonly string[];
}

/** Computes the coverage of a machine; ignores ids that the machine does not have. */
export function computeCoverage(graph: MachineGraph, report: CoverageReport): CoverageSummary {
  const states = graph.states.filter(({ parentId }) => parentId !== null).map(({ id }) => id);
  const transitions = graph.transitions.map(({ id }) => id);
  const isWalked = (counts: CoverageReport['states'], id: string): boolean => (counts[id] ?? 0) > 0;
  const uncoveredStates = states.filter((id) => !isWalked(report.states, id));
  const uncoveredTransitions = transitions.filter((id) => !isWalked(report.transitions, id));
  return {
    states: states.length - uncoveredStates.length,
    transitions: transitions.length - uncoveredTransitions.length,
    uncoveredStates,
    uncoveredTransitions,
  };
}

/** Marks covered and uncovered parts of a chart; without a report, clears the marks. */
export function paintCoverage(drawing: Element, report: CoverageReport | null): void {
  const mark = (attribute: string, counts: CoverageReport['states'] | undefined): void => {
    for (const part of drawing.querySelectorAll(`[${attribute}]`)) {
      const count = counts?.[part.getAttribute(attribute) ?? ''] ?? 0;
      part.classList.toggle('is-covered', counts !== undefined && count > 0);
      part.classList.toggle('is-uncovered', counts !== undefined && count === 0);
    }
  };
  mark('data-state', report?.states);
  mark('data-transition', report?.transitions);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCounts(value: unknown): value is Readonly<Record<string, number>> {
  return isRecord(value) && Object.values(value).every((count) => typeof count === 'number');
}
