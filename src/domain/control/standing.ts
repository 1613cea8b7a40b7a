import { CONTROL_IDS, type ControlId, type ControlLabel } from './catalog.ts';
import { CONTROL_ROWS } from './rows.ts';

/** What the controls do not do (specification section 8), told wherever they are told of. */
export const CONTROL_LIMITS: readonly string[] = [
  'The controls do not make terms enforceable.',
  'They do not give the buyer a lever over release or voiding on the pay-first path.',
  'They do not remove trust in the operator, who can see every reserve, deliverable and verdict.',
];

/** What each label means. */
export const LABEL_MEANINGS: Readonly<Record<ControlLabel, string>> = {
  LIVE: 'Runs and acts.',
  SHADOW: 'Runs and records; does not act.',
  OFF: 'Built; not enabled.',
};

/** How a control stands here, in words that promise no more than it does. */
export interface ControlStanding {
  /** Whether it runs and acts on this server: LIVE, and what it needs is offered. */
  readonly acts: boolean;
  readonly statement: string;
}

/**
 * Words how a control stands. Only one that acts is told with what it does.
 *
 * @param offered - Names of the tools that are listed here.
 */
export function standingOf(
  id: ControlId,
  label: ControlLabel,
  offered: ReadonlySet<string>,
): ControlStanding {
  const { does, limit, records, tools } = CONTROL_ROWS[id];
  const missing = tools.filter((tool) => !offered.has(tool));
  switch (label) {
    case 'LIVE':
      if (missing.length === 0) return { acts: true, statement: `${does} ${limit}` };
      return {
        acts: false,
        statement: `Not offered here: this server does not list ${missing.join(', ')}. ${NOBODY}`,
      };
    case 'SHADOW':
      return { acts: false, statement: `SHADOW: ${records ?? 'runs'}; does not act. ${NOBODY}` };
    case 'OFF':
      return { acts: false, statement: `OFF: built, not enabled. ${NOBODY}` };
  }
}

const NOBODY = 'It protects nobody.';

/** The control that a tool is part of, if any. */
export function controlOfTool(tool: string): ControlId | undefined {
  return OF_TOOL.get(tool);
}

/** The controls that an address is part of. */
export function controlsOfPath(method: string, path: string): readonly ControlId[] {
  const asked = method === 'HEAD' ? 'GET' : method;
  return CONTROL_IDS.filter((id) =>
    CONTROL_ROWS[id].paths.some(
      (row) =>
        row.method === asked && (row.isPrefix ? path.startsWith(row.path) : path === row.path),
    ),
  );
}

const OF_TOOL: ReadonlyMap<string, ControlId> = new Map(
  CONTROL_IDS.flatMap((id) => CONTROL_ROWS[id].tools.map((tool) => [tool, id] as const)),
);
