import { createEvidence } from '../../../domain/audit/evidence.ts';
import { comparePins, type PinChange } from '../../../domain/audit/probe/pins.ts';
import type { Recon } from '../../../domain/audit/probe/recon.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { withConnection } from '../session/call-tool.ts';
import { createProbe } from '../session/create-probe.ts';
import type { Observation, ProbeSession, Sighting } from '../session/probe.ts';
import { runRecon } from '../session/recon.ts';
import { surveyTools } from '../session/survey.ts';

const LISTINGS = 3;
const REQUESTS_MAX = 90;
/** Maximum number of requests for the calls between two listings. */
const CALLS_MAX = 60;

/** Detects definitions that differ between connections. */
export const changedDefinitions = createProbe({
  probeId: 'changed-definitions',
  version: 1,
  category: 'ASI04',
  mode: 'passive',
  title: 'Definitions change between connections',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session) => {
    if (session.recon.access === 'refused') return REFUSED;
    for (let look = 0; look < LISTINGS; look += 1) {
      const again = await runRecon(session.target);
      const changes = comparePins(session.recon.pins, again.pins);
      if (changes.length > 0) return createObservation(session, again, changes);
    }
    return createObservation(session, session.recon, []);
  },
});

/** Detects definitions that change after tool calls. */
export const changedAfterCalls = createProbe({
  probeId: 'changed-after-calls',
  version: 1,
  category: 'ASI04',
  mode: 'active',
  title: 'Definitions change after calls',
  requestsMax: REQUESTS_MAX,
  totalMs: 2 * MINUTE_MS,
  look: async (session) => {
    if (session.recon.access === 'refused') return REFUSED;
    if (session.recon.tools.length === 0) return NO_TOOLS;
    await withConnection(session, async (connection) => {
      const manners = ['fitting', 'fitting', 'fitting', 'full'] as const;
      const calls = surveyTools(session, { connection, manners, requestsMax: CALLS_MAX });
      for await (const call of calls) call satisfies object;
    });
    const again = await runRecon(session.target);
    return createObservation(session, again, comparePins(session.recon.pins, again.pins));
  },
});

const REFUSED = { outcome: 'not_applicable', reason: 'the target requires credentials' } as const;
const NO_TOOLS = { outcome: 'not_applicable', reason: 'the target lists no tools' } as const;

function createObservation(
  session: ProbeSession,
  again: Recon,
  changes: readonly PinChange[],
): Observation {
  const findings = changes.map(({ name, change }): Sighting => {
    const isTool = [...session.recon.tools, ...again.tools].some((tool) => tool.name === name);
    return {
      title: `The definition of "${name}" was ${change}`,
      severity: 'high',
      status: 'unreproduced',
      ...(isTool ? { tool: name } : {}),
      evidence: createEvidence(`listing again: ${name}`, definitionText(again, name)),
      control: createEvidence(`first listing: ${name}`, definitionText(session.recon, name)),
      remediation: 'Give a changed tool a new name or version, and notify listeners of the change.',
    };
  });
  return { outcome: 'looked', subjects: ['every definition'], findings };
}

function definitionText({ tools, greeting, card }: Recon, name: string): string {
  const tool = tools.find((one) => one.name === name) ?? (name === 'card' ? card : undefined);
  return JSON.stringify(tool ?? (name === 'the greeting' ? greeting : null));
}
