import type { DatabaseContext, DatabaseInput } from '../../machines/hosting/database.ts';
import { ATTEMPTS_MAX } from '../../machines/hosting/database.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { ModelView, PathPlan } from '../path.ts';

const internalError: EffectError = { name: 'AppError', code: 'INTERNAL', message: 'lost' };
const record: DatabaseInput['record'] = {
  id: 'red-00000000000000000005',
  name: 'cache',
  ownerId: 'tea-00000000000000000000',
  plan: 'starter',
  region: 'oregon',
  version: 'redis 7.0.15',
  options: { maxmemoryPolicy: 'noeviction', persistenceMode: 'off' },
  ipAllowList: [],
  dashboardUrl: 'http://localhost/console#key-value/cache',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const ends = {
  done: [
    { ok: true },
    { ok: false, reason: 'no room', isFinal: false },
    { ok: false, reason: 'no program', isFinal: true },
  ],
  error: [internalError],
};

/** Path plan of a database. */
export const databasePlan: PathPlan = {
  input: { record, sealedSecrets: 'sealed' },
  events: {
    'CONFIG.CHANGED': ({ context }: ModelView<DatabaseContext>) => {
      const { name } = context.record;
      return [{ record: { ...record, name: name === 'renamed' ? 'again' : 'renamed' } }];
    },
  },
  effects: {
    make: ends,
    start: ends,
    watch: { done: [{ ok: false, reason: 'killed', isFinal: false }], error: [internalError] },
    reload: ends,
    stop: { done: [{ ok: true }], error: [internalError] },
    erase: { done: [{ ok: true }], error: [internalError] },
  },
  facets: ({ isMade, tries, record: { name } }: DatabaseContext) => [
    isMade,
    Math.min(tries, ATTEMPTS_MAX),
    name,
  ],
};
