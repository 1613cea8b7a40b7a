import { type Meddled, meddlingTarget } from '../parts/meddling.ts';

/** How it goes away. */
const WAYS: readonly ((meddled: Meddled) => boolean)[] = [
  ({ method, request }) => {
    if (method !== 'tools/call') return false;
    request.socket.destroy();
    return true;
  },
  // Half of an answer.
  ({ method, id, response }) => {
    if (method !== 'tools/call') return false;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
    response.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"ty`);
    setTimeout(() => response.destroy(), 10);
    return true;
  },
  ({ count, request }) => {
    if (count <= 6) return false;
    request.socket.resetAndDestroy();
    return true;
  },
  // The stream ends without the answer.
  ({ method, response }) => {
    if (method !== 'tools/list') return false;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': bye\n\n');
    return true;
  },
];

/** It closes connections before the answer is there. */
export const closes = meddlingTarget({
  name: 'closes',
  category: 'ASI08',
  fault: 'Connections are closed in the middle of an answer.',
  meddler: (variation) => variation.pick('closes.way', WAYS),
});
