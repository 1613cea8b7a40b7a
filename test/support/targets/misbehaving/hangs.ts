import { type Meddled, meddlingTarget } from '../parts/meddling.ts';

/** Where it stops to answer. */
const WAYS: readonly ((meddled: Meddled) => boolean)[] = [
  ({ method }) => method === 'tools/call',
  ({ method }) => method === 'tools/list',
  ({ method }) => method === 'initialize',
  // The head comes, and then comments that never become an answer.
  ({ method, response }) => {
    if (method !== 'tools/call') return false;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': still here\n\n');
    return true;
  },
  ({ count }) => count > 3,
];

/** It takes requests and never answers them. */
export const hangs = meddlingTarget({
  name: 'hangs',
  category: 'ASI08',
  fault: 'Requests are taken and never answered.',
  meddler: (variation) => variation.pick('hangs.way', WAYS),
});
