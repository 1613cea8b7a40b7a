import { randomUUID } from 'node:crypto';
import { plainJob } from '../parts/plain-target.ts';
import type { FrontRules, Target } from '../target.ts';
import { variationOf } from '../variation.ts';

/** The id of the caller is taken at the beginning, or at any time. */
const WAYS: readonly Partial<FrontRules>[] = [
  { sessionId: (_ordinal, asked) => asked ?? randomUUID() },
  { servesUnknownSessions: true },
];

/** Who chooses the id of a session can use it later. */
export const sessionFixation: Target = {
  name: 'session-fixation',
  category: 'ASI07',
  fault: 'A session id that the caller made up is served.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const { plan } = plainJob(variation, 'fixation', 'fixation');
    return { ...plan, ...(fixed ? {} : { front: variation.pick('fixation.way', WAYS) }) };
  },
};
