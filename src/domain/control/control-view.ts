import {
  CONTROL_CATALOG,
  CONTROL_IDS,
  type ControlId,
  type ControlLabel,
} from './control-catalog.ts';

/** What the controls do not do (specification section 8); shown wherever controls are described. */
export const CONTROL_LIMITS: readonly string[] = [
  'The controls do not make terms enforceable.',
  'They do not give the buyer a lever over release or voiding on the pay-first path.',
  'They do not remove trust in the operator, who can see every reserve, deliverable and verdict.',
];

/** Meaning of each label. */
export const LABEL_MEANINGS: Readonly<Record<ControlLabel, string>> = {
  LIVE: 'Runs and acts.',
  SHADOW: 'Runs and records; does not act.',
  OFF: 'Built; not enabled.',
};

/** Effective state of a control on this server, with an accurate description. */
export interface ControlView {
  /** True if the control is LIVE and all tools it needs are offered. */
  readonly acts: boolean;
  readonly statement: string;
}

/**
 * Describes the state of a control. What it does is stated only if it is effective.
 *
 * @param offered - Names of the tools that this server lists.
 */
export function describeControl(
  id: ControlId,
  label: ControlLabel,
  offered: ReadonlySet<string>,
): ControlView {
  const { does, limit, records, tools } = CONTROL_CATALOG[id];
  const missing = tools.filter((tool) => !offered.has(tool));
  switch (label) {
    case 'LIVE':
      if (missing.length === 0) return { acts: true, statement: `${does} ${limit}` };
      return {
        acts: false,
        statement:
          'Not offered here: this server does not list ' +
          `${missing.join(', ')}. ${NO_PROTECTION}`,
      };
    case 'SHADOW':
      return {
        acts: false,
        statement: `SHADOW: ${records ?? 'runs'}; does not act. ${NO_PROTECTION}`,
      };
    case 'OFF':
      return { acts: false, statement: `OFF: built, not enabled. ${NO_PROTECTION}` };
  }
}

const NO_PROTECTION = 'It protects nobody.';

/** Returns the control that a tool belongs to, if any. */
export function findControlOfTool(tool: string): ControlId | undefined {
  return CONTROL_BY_TOOL.get(tool);
}

/** Returns the controls that a path belongs to. */
export function listControlsOfPath(method: string, path: string): readonly ControlId[] {
  const asked = method === 'HEAD' ? 'GET' : method;
  return CONTROL_IDS.filter((id) =>
    CONTROL_CATALOG[id].paths.some(
      (row) =>
        row.method === asked && (row.isPrefix ? path.startsWith(row.path) : path === row.path),
    ),
  );
}

const CONTROL_BY_TOOL: ReadonlyMap<string, ControlId> = new Map(
  CONTROL_IDS.flatMap((id) => CONTROL_CATALOG[id].tools.map((tool) => [tool, id] as const)),
);
