import { fetchTarget } from '../parts/fetch-target.ts';
import type { FetchRules } from '../parts/web-fetcher.ts';

/** None, or one that knows a few writings only. */
const GUARDS: readonly FetchRules[] = [
  { refuses: () => false },
  { refuses: (address) => /localhost|127\.0\.0\.1/i.test(address) },
  { refuses: (address) => /^https?:\/\/(10\.|192\.168\.|127\.|localhost)/i.test(address) },
  { refuses: (address) => !address.startsWith('http://') && !address.startsWith('https://') },
];

/** The server asks addresses of its own network for anybody. */
export const internalRequests = fetchTarget({
  name: 'internal-requests',
  fault: 'Addresses of the internal network are fetched for the caller.',
  rules: (variation) => variation.pick('guard', GUARDS),
});
