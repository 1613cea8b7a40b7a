import type { OtherUpstreams } from '../../../src/process/server/services.ts';
import { feedServer } from './feed-server.ts';
import { madeMarkets } from './made-markets.ts';
import { type UpstreamServer, upstreamServer } from './upstream-server.ts';

/** Upstreams and one paper on loopback, for a whole server; nothing of them is real. */
export interface OtherWorld {
  readonly upstreams: OtherUpstreams;
  readonly server: UpstreamServer;
  close(): Promise<void>;
}

const NEWS = [
  { title: 'Equinor opens a wind farm', url: 'https://paper.example/1' },
  { title: 'Equinor reports strong gains in Bitcoin heated homes', url: 'https://paper.example/2' },
];

/** Starts them; `close` ends them. */
export async function otherWorld(): Promise<OtherWorld> {
  const server = await upstreamServer(Date.now, madeMarkets());
  const papers = await feedServer();
  papers.hold('paper.example', NEWS);
  return {
    server,
    upstreams: {
      baseUrls: server.baseUrls,
      hosts: [server.host, papers.host],
      feeds: [papers.feed('paper.example')],
    },
    close: async () => {
      await server.close();
      await papers.close();
    },
  };
}
