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

/** Of each: what must be confirmed, and what may be too; docs/audit-controls.md reproduces it. */
const CONFIRMED: readonly (readonly [ControlName, readonly string[], readonly string[]])[] = [
  [
    'everything',
    ['internal-requests gzip-file-as-resource', 'secrets-in-results get-env'],
    ['cancellation trigger-long-running-operation', 'oversize echo'],
  ],
  ['filesystem', [], []],
  ['memory', ['cross-session-memory read_graph', 'oversize search_nodes'], ['oversize open_nodes']],
];
/** Probes that found nothing, of those that could run. */
const CLEAN_LEAST = 5;

test.skipIf(reason !== undefined).each(CONFIRMED)(
  `the audit of the public server %s confirms what was reproduced by hand, and no more (${reason ?? 'fetched'})`,
  { timeout: 900_000 },
  async (name, certain, possible) => {
    const { program, remove } = controlServer(name);
    endings.push(remove);
    const report = await auditProgram(program, 850_000);
    expect(report.outcome).toBe('complete');
    const confirmed = report.findings
      .filter(({ status }) => status === 'confirmed')
      .map(({ probe_id, tool }) => `${probe_id} ${tool}`);
    expect(confirmed).toEqual(expect.arrayContaining([...certain]));
    expect(confirmed.filter((each) => ![...certain, ...possible].includes(each))).toEqual([]);
    const looked = report.probes.filter(({ outcome }) => outcome === 'clean');
    expect(looked.length).toBeGreaterThan(CLEAN_LEAST);
  },
);
