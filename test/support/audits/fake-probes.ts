import { createProbe, type ProbePlan } from '../../../src/actors/audit/session/create-probe.ts';
import type { Probe, ProbeSession } from '../../../src/actors/audit/session/probe.ts';
import { listTools } from '../../../src/actors/audit/session/recon.ts';
import { createEvidence } from '../../../src/domain/audit/evidence.ts';

/** Probes that look for names of tools: few, quick, and with every kind of end. */
export const FAKE_PROBES: readonly Probe[] = [
  finder('texts', 'ASI01', { mode: 'passive', bad: 'ignore_all', severity: 'medium' }),
  finder('hints', 'ASI02', { mode: 'passive', bad: 'read_note', severity: 'low' }),
  finder('memory', 'ASI06', { mode: 'active', bad: 'remember', severity: 'high' }),
  finder('execution', 'ASI05', { mode: 'active', bad: 'run_anything', severity: 'critical' }),
];

function finder(
  probeId: string,
  category: ProbePlan['category'],
  o: {
    readonly mode: ProbePlan['mode'];
    readonly bad: string;
    readonly severity: 'low' | 'medium' | 'high' | 'critical';
  },
): Probe {
  return createProbe({
    probeId,
    version: 1,
    category,
    mode: o.mode,
    title: `Looks for ${o.bad}`,
    requestsMax: 4,
    totalMs: 10_000,
    look: async (session) => {
      const names = await namesOf(session);
      const evidence = createEvidence('tools/list', names.join('\n'));
      const sighting = {
        title: `There is a tool ${o.bad}`,
        severity: o.severity,
        status: 'unreproduced',
        tool: o.bad,
        evidence,
        control: createEvidence('tools/list of a safe server', ''),
        remediation: `Remove ${o.bad}.`,
      } as const;
      const findings = names.includes(o.bad) ? [sighting] : [];
      return { outcome: 'looked', subjects: names, findings };
    },
  });
}

async function namesOf(session: ProbeSession): Promise<readonly string[]> {
  const connection = await session.target.connect();
  try {
    return (await listTools(connection)).map(({ name }) => name);
  } finally {
    await connection.close();
  }
}
