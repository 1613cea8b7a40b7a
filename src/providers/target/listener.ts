import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CanaryListener } from '../../domain/ports/audit-target.ts';

/** Labels whose hits are counted; more are not noted. */
const LABELS_MAX = 1_000;

/** Opens a listener on loopback that counts who follows its addresses and answers with a word. */
export async function openListener(): Promise<CanaryListener> {
  const hits = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const known = hits.get(path);
    if (known !== undefined || hits.size < LABELS_MAX) hits.set(path, (known ?? 0) + 1);
    request.resume();
    response.setHeader('content-type', 'text/plain');
    response.end(`seen ${path.slice(1, 200)}`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const pathFor = (label: string) => `/${encodeURIComponent(label)}`;
  return {
    url: (label) => `http://127.0.0.1:${port}${pathFor(label)}`,
    hits: (label) => hits.get(pathFor(label)) ?? 0,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
