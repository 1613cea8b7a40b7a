import { createHash } from 'node:crypto';
import { plainJob } from '../parts/plain-target.ts';
import type { Target } from '../target.ts';
import { type Variation, variationOf } from '../variation.ts';

type MakeId = (ordinal: number, start: number) => string;

/** Ids that follow from the one before, in several writings. */
const WAYS: readonly MakeId[] = [
  (ordinal, start) => String(start + ordinal),
  (ordinal, start) => `session-${(start + ordinal).toString(16).padStart(8, '0')}`,
  (ordinal, start) => Buffer.from(`user:${start + ordinal}`).toString('base64url'),
  (ordinal, start) => `20251122-${String(start + ordinal).padStart(6, '0')}`,
  (ordinal, start) =>
    createHash('md5')
      .update(String(start + ordinal))
      .digest('hex'),
  (ordinal, start) => `00000000-0000-4000-8000-${(start + ordinal).toString(16).padStart(12, '0')}`,
];

/** The id of the next session can be told from the last one. */
export const sessionGuessing: Target = {
  name: 'session-guessing',
  category: 'ASI07',
  fault: 'Session ids are counted and not drawn.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const { plan } = plainJob(variation, 'guessing', 'guessing');
    return { ...plan, ...(fixed ? {} : { front: { sessionId: counted(variation) } }) };
  },
};

function counted(variation: Variation): (ordinal: number) => string {
  const way = variation.pick('guessing.way', WAYS);
  const start = 100 * (variation.seed + 1);
  return (ordinal) => way(ordinal, start);
}
