import { plainJob } from '../parts/plain-target.ts';
import type { Target } from '../target.ts';
import { variationOf } from '../variation.ts';

/** Any number of requests is served at once. */
export const unlimitedBurst: Target = {
  name: 'unlimited-burst',
  category: 'ASI08',
  fault: 'There is no limit to the number of requests.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const { plan } = plainJob(variation, 'burst', 'burst');
    const none = { burstMax: 1_000_000, refillPerSecond: 1_000_000 };
    return { ...plan, ...(fixed ? {} : { front: none }) };
  },
};
