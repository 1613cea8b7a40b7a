import { afterEach, expect, test } from 'vitest';
import {
  type ControlName,
  controlServer,
  fetchControls,
} from '../../support/audits/control-servers.ts';
import { auditProgram } from '../../support/audits/program-audit.ts';

const reason = fetchControls();
const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

/** What is confirmed of each, as docs/audit-controls.md lists it with its reproduction by hand. */
const CONFIRMED: readonly (readonly [ControlName, readonly string[]])[] = [
  [
    'everything',
    [
      'cancellation trigger-long-running-operation',
      'internal-requests gzip-file-as-resource',
      'oversize echo',
      'secrets-in-results get-env',
    ],
  ],
  ['filesystem', []],
  ['memory', ['cross-session-memory read_graph', 'oversize open_nodes', 'oversize search_nodes']],
];

test.skipIf(reason !== undefined).each(CONFIRMED)(
  `the audit of the public server %s confirms what was reproduced by hand, and no more (${reason ?? 'fetched'})`,
  { timeout: 900_000 },
  async (name, expected) => {
    const { program, remove } = controlServer(name);
    endings.push(remove);
    const report = await auditProgram(program, 850_000);
    expect(report.outcome).toBe('complete');
    const confirmed = report.findings
      .filter(({ status }) => status === 'confirmed')
      .map(({ probe_id, tool }) => `${probe_id} ${tool}`);
    expect([...new Set(confirmed)].toSorted()).toEqual(expected);
    const looked = report.probes.filter(({ outcome }) => outcome === 'clean');
    expect(looked.length).toBeGreaterThan(10);
  },
);
