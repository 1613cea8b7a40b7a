import { plainJob } from '../parts/plain-target.ts';
import type { FrontRules, Target } from '../target.ts';
import { variationOf } from '../variation.ts';

/** Checks that let more in than they should, from none to nearly right. */
const WAYS: readonly FrontRules['admitsOrigin'][] = [
  () => true,
  (origin) => origin.startsWith('http://localhost') || origin.startsWith('http://127.0.0.1'),
  (origin, host) => origin.includes(host) || origin === 'null',
  (origin) => origin.startsWith('https://'),
  (origin) => origin.endsWith('localhost') || /^https?:\/\/[^/]*example/.test(origin),
];

/** Any page in a browser may talk to the server. */
export const foreignOrigin: Target = {
  name: 'foreign-origin',
  category: 'ASI07',
  fault: 'Requests with a foreign Origin are served.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const { plan } = plainJob(variation, 'origin', 'origin');
    const admitsOrigin = variation.pick('origin.way', WAYS);
    return { ...plan, ...(fixed ? {} : { front: { admitsOrigin } }) };
  },
};
