import { createEvidence } from '../../../domain/audit/evidence.ts';
import type { Definition, Recon } from '../../../domain/audit/probe/recon.ts';
import type { Evidence } from '../../../domain/audit/records.ts';
import type { Focus } from './create-probe.ts';
import type { ProbeSession } from './probe.ts';
import { runRecon } from './recon.ts';

/** Maximum number of requests of a replay that lists the definitions again. */
export const LISTING_REQUESTS_MAX = 100;

/** Returns the definitions from the start of the audit, or newly listed ones in a replay. */
export async function readDefinitions(
  session: ProbeSession,
  focus: Focus | undefined,
): Promise<Recon> {
  return focus === undefined ? session.recon : await runRecon(session.target);
}

/** Returns whether a target discloses nothing that could be checked. */
export function hasNoDefinitions({ tools, greeting, card, prompts }: Recon): boolean {
  const hasGreeting = (greeting?.instructions ?? '') !== '';
  return tools.length === 0 && prompts.length === 0 && card === null && !hasGreeting;
}

/** Creates evidence from a listing. */
export function listingEvidence(owner: string, place: string, shown: string): Evidence {
  return createEvidence(`listing: ${owner}, ${place}`, shown);
}

/** Returns a definition without faults as the control of a listing. */
export function faultlessToolEvidence(
  tools: readonly Definition[],
  isFaulty: (tool: Definition) => boolean,
): Evidence | null {
  const tool = tools.find((one) => !isFaulty(one));
  if (tool === undefined) return null;
  return listingEvidence(tool.name, 'definition', JSON.stringify(tool));
}
