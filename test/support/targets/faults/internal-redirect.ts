import { fetchTarget, looksAtAll } from '../parts/fetch-target.ts';

/** A public page sends the server to an address of its own network. */
export const internalRedirect = fetchTarget({
  name: 'internal-redirect',
  fault: 'Redirects are followed to addresses of the internal network.',
  rules: () => ({ refuses: (address, hop) => hop === 0 && looksAtAll.refuses(address, hop) }),
});
