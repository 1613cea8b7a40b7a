import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CanaryListener } from '../../domain/audit/audit-target.ts';

/** Most labels whose hits are counted. */
const LABELS_MAX = 1_000;

/** Opens a loopback listener that counts requests to its URLs and answers each with a word. */
export async function startCanaryListener(): Promise<CanaryListener> {
  const hits = new Map<string, number>();
  const targetServer = createServer((request, response) => {
    const path = request.url ?? '/';
    const known = hits.get(path);
    if (known !== undefined || hits.size < LABELS_MAX) hits.set(path, (known ?? 0) + 1);
    request.resume();
    response.setHeader('content-type', 'text/plain');
    response.end(`seen ${path.slice(1, 200)}`);
  });
  const targetPort = await listenOn(targetServer);
  const redirectServer = createServer((request, response) => {
    request.resume();
    response.writeHead(302, { location: `http://127.0.0.1:${targetPort}${request.url ?? '/'}` });
    response.end();
  });
  const redirectPort = await listenOn(redirectServer);
  const pathFor = (label: string) => `/${encodeURIComponent(label)}`;
  return {
    origins: [targetPort, redirectPort].map((port) => `http://127.0.0.1:${port}`),
    url: (label) => `http://127.0.0.1:${targetPort}${pathFor(label)}`,
    redirect: (label) => `http://127.0.0.1:${redirectPort}${pathFor(label)}`,
    countHits: (label) => hits.get(pathFor(label)) ?? 0,
    close: async () => {
      await Promise.all([targetServer, redirectServer].map(closeServer));
    },
  };
}

async function listenOn(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
