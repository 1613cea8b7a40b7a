import type { Aim } from './aims.ts';
import { withConnection } from './call-tool.ts';
import { type Focus, hasBudget } from './create-probe.ts';
import type { GatedConnection } from './gate.ts';
import type { Observation, ProbeSession, Sighting } from './probe.ts';

/** Access of one trial to session and connection. */
export interface AimDeps {
  readonly session: ProbeSession;
  readonly connection: GatedConnection;
}

/** How the fields of a target are tested. */
export interface AimPlan {
  /** The probe stops before it has sent this many requests. */
  readonly requestsMax: number;
  /** In a replay: the first finding ends the run. */
  readonly focus: Focus | undefined;
  /** Why the probe does not apply if there are no fields. */
  readonly reason: string;
  /** Tests one field; `undefined` if it shows no fault. */
  tryOne(means: AimDeps, aim: Aim): Promise<Sighting | undefined>;
}

/** Tests fields one by one in a new connection. Each tool gets at most one finding. */
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
      if (!hasBudget(session, requestsMax)) break;
      subjects.push(`${aim.tool.name}.${aim.slot.path.join('.')}`);
      const found = await tryOne({ session, connection }, aim);
      if (found === undefined) continue;
      findings.push(found);
      if (focus !== undefined) break;
    }
    return { outcome: 'looked', subjects, findings };
  });
}
