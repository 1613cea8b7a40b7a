import { DATABASE_KIND } from '../../actors/hosting/database-definition.ts';
import { postgresLimits } from '../../domain/hosting/plans.ts';
import { activeIds } from '../../machines/graph/machine-graph.ts';
import type { DatabaseContext } from '../../machines/hosting/database-facts.ts';
import type { TakenPlan } from '../../providers/hosting/local/capacity.ts';
import { keyValueLimits } from '../../providers/hosting/local/key-value/settings.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';

const DATABASES_MAX = 1_000;

/**
 * Returns the resources that the plans of active databases reserve, except those of one database.
 */
export async function takenByDatabases(
  engine: ActorEngine,
  except: string,
): Promise<readonly TakenPlan[]> {
  const { rows } = await engine.list({ kind: DATABASE_KIND, limit: DATABASES_MAX });
  const others = rows.filter(({ id, state }) => id !== except && state !== 'removed');
  const views = await Promise.all(others.map(({ id }) => engine.view(id)));
  return views.flatMap(({ context, value }) => {
    if (activeIds(value)[0] === 'suspended') return [];
    const { record } = context as unknown as DatabaseContext;
    const limits = 'options' in record ? keyValueLimits(record.plan) : postgresLimits(record.plan);
    const { id, name, ownerId } = record;
    return [{ ...limits, holder: { id, name, ownerId } }];
  });
}
