import { withConnection } from './calling.ts';
import type { GatedConnection } from './gate.ts';
import { type Focus, hasRoom } from './make-probe.ts';
import type { Observation, ProbeSession, Sighting } from './probe.ts';
import type { Aim } from './slots.ts';

/** What one place is tried with. */
export interface Means {
  readonly session: ProbeSession;
  readonly connection: GatedConnection;
}

/** How the places of a target are tried. */
export interface AimPlan {
  /** The probe stops before it has sent this many. */
  readonly requestsMax: number;
  /** In a replay: the first finding ends it. */
  readonly focus: Focus | undefined;
  /** Why there is nothing to try, where there is no place. */
  readonly reason: string;
  /** Tries one place; nothing where it shows no fault. */
  tryOne(means: Means, aim: Aim): Promise<Sighting | undefined>;
}

/** Tries one place after the other in one fresh connection; each tool is found at fault once. */
export async function tryAims(
  session: ProbeSession,
  aims: readonly Aim[],
  { requestsMax, focus, reason, tryOne }: AimPlan,
): Promise<Observation> {
  if (aims.length === 0) return { outcome: 'not_applicable', reason };
  return await withConnection(session, async (connection) => {
    const findings: Sighting[] = [];
    const subjects: string[] = [];
    for (const aim of aims) {
      if (findings.some(({ tool }) => tool === aim.tool.name)) continue;
      if (!hasRoom(session, requestsMax)) break;
      subjects.push(`${aim.tool.name}.${aim.slot.path.join('.')}`);
      const found = await tryOne({ session, connection }, aim);
      if (found === undefined) continue;
      findings.push(found);
      if (focus !== undefined) break;
    }
    return { outcome: 'looked', subjects, findings };
  });
}
