import { evidenceOf } from '../../../domain/audit/evidence.ts';
import type { Definition, Recon } from '../../../domain/audit/probe/recon.ts';
import type { Evidence } from '../../../domain/audit/records.ts';
import type { Focus } from './make-probe.ts';
import type { ProbeSession } from './probe.ts';
import { runRecon } from './recon.ts';

/** Requests of a replay that asks the target for its listings again. */
export const TOLD_REQUESTS_MAX = 100;

/** What the target tells: as it stood at the start, and in a replay asked for anew. */
export async function told(session: ProbeSession, focus: Focus | undefined): Promise<Recon> {
  return focus === undefined ? session.recon : await runRecon(session.target);
}

/** True when a target told nothing that could be looked at. */
export function isSilent({ tools, greeting, card, prompts }: Recon): boolean {
  const hasGreeting = (greeting?.instructions ?? '') !== '';
  return tools.length === 0 && prompts.length === 0 && card === null && !hasGreeting;
}

/** Evidence of what a listing shows. */
export function toldEvidence(owner: string, place: string, shown: string): Evidence {
  return evidenceOf(`listing: ${owner}, ${place}`, shown);
}

/** A definition that is not at fault, as the control of a listing. */
export function ordinaryTool(
  tools: readonly Definition[],
  isFaulty: (tool: Definition) => boolean,
): Evidence | null {
  const tool = tools.find((one) => !isFaulty(one));
  if (tool === undefined) return null;
  return toldEvidence(tool.name, 'definition', JSON.stringify(tool));
}
