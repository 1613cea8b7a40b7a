import { DATABASE_KIND } from '../actors/hosting/database-definition.ts';
import { type PlanLimits, postgresLimits } from '../domain/hosting/plans.ts';
import type { DatabaseContext } from '../machines/parts/hosting/database-facts.ts';
import { keyValueLimits } from '../providers/hosting/local/key-value/settings.ts';
import type { ActorEngine } from '../runtime/types.ts';

const DATABASES_MAX = 1_000;

/** What the plans of all databases let them use, one of them left out. */
export async function takenByDatabases(
  engine: ActorEngine,
  except: string,
): Promise<readonly PlanLimits[]> {
  const { rows } = await engine.list({ kind: DATABASE_KIND, limit: DATABASES_MAX });
  const others = rows.filter(({ id, state }) => id !== except && state !== 'removed');
  const views = await Promise.all(others.map(({ id }) => engine.view(id)));
  return views.map(({ context }) => {
    const { record } = context as unknown as DatabaseContext;
    return 'options' in record ? keyValueLimits(record.plan) : postgresLimits(record.plan);
  });
}
