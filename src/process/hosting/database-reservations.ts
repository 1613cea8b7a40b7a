import { databaseKind } from '../../actors/hosting/database-definition.ts';
import { parsePostgresLimits } from '../../domain/hosting/plans.ts';
import { activeStateIds } from '../../machines/graph/machine-graph.ts';
import type { PlanInUse } from '../../providers/hosting/local/capacity.ts';
import { keyValueLimits } from '../../providers/hosting/local/key-value/settings.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';

const DATABASES_MAX = 1_000;

/**
 * Returns the resources that the plans of active databases reserve, except those of one database.
 */
export async function databaseReservations(
  engine: ActorEngine,
  except: string,
): Promise<readonly PlanInUse[]> {
  const { rows } = await engine.list({ kind: databaseKind.kind, limit: DATABASES_MAX });
  const others = rows.filter(({ id, state }) => id !== except && state !== 'removed');
  const databases = engine.of(databaseKind);
  const views = await Promise.all(others.map(({ id }) => databases.view(id)));
  return views.flatMap(({ context, value }) => {
    if (activeStateIds(value)[0] === 'suspended') return [];
    const { record } = context;
    const limits =
      'options' in record ? keyValueLimits(record.plan) : parsePostgresLimits(record.plan);
    const { id, name, ownerId } = record;
    return [{ ...limits, holder: { id, name, ownerId } }];
  });
}
