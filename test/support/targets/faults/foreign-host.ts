import { plainJob } from '../parts/plain-target.ts';
import type { FrontRules, Target } from '../target.ts';
import { variationOf } from '../variation.ts';

/** Checks that let more in than they should, from none to nearly right. */
const WAYS: readonly FrontRules['admitsHost'][] = [
  () => true,
  (host) => host.startsWith('127.0.0.1') || host.startsWith('localhost'),
  (host, own) => host.includes(own.split(':')[0] ?? own),
  (host, own, request) => host === own || request.headers['x-forwarded-host'] === own,
];

/** A name that an attacker has pointed at this address is served. */
export const foreignHost: Target = {
  name: 'foreign-host',
  category: 'ASI07',
  fault: 'Requests with a foreign Host are served.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const { plan } = plainJob(variation, 'host', 'host');
    const admitsHost = variation.pick('host.way', WAYS);
    return { ...plan, ...(fixed ? {} : { front: { admitsHost } }) };
  },
};
