import { createDataFailure } from '../../../domain/data/data-failure.ts';
import type { DexPools } from '../../../domain/market/dex-pools.ts';
import type { UpstreamReader } from '../../data/upstream-reader.ts';
import { readToken, tokenPath } from './dexpaprika.ts';
import {
  poolsPath as dexscreenerPools,
  readCandidates,
  readPools as readDexscreener,
  searchPath,
} from './dexscreener.ts';
import { poolsPath as geckoPools, readPools as readGecko } from './geckoterminal.ts';

const POOL_SOURCES = {
  dexscreener: { path: dexscreenerPools, read: readDexscreener },
  geckoterminal: { path: geckoPools, read: readGecko },
} as const;
type PoolSource = keyof typeof POOL_SOURCES;

/** Creates the reader of decentralized exchange pools from public aggregators. */
export function createDexPools(reader: UpstreamReader): DexPools {
  return {
    poolSources: Object.keys(POOL_SOURCES),
    aggregator: 'dexpaprika',
    symbolSearch: 'dexscreener',
    pools: async (lister, { deadline, ...place }) => {
      if (!isPoolSource(lister)) {
        const detail = `Not a pool source. Allowed: ${Object.keys(POOL_SOURCES).join(', ')}.`;
        return {
          ok: false,
          fault: createDataFailure('invalid_input', { upstream: lister, detail }),
        };
      }
      const { path, read } = POOL_SOURCES[lister];
      const request = { upstream: lister, path: path(place), deadline };
      return reader.read(request, (answer) => read(answer, place));
    },
    token: ({ deadline, ...place }) =>
      reader.read({ upstream: 'dexpaprika', path: tokenPath(place), deadline }, (answer) =>
        readToken(answer, place),
      ),
    findTokens: ({ symbol, chains, deadline }) =>
      reader.read({ upstream: 'dexscreener', path: searchPath(symbol), deadline }, (answer) =>
        readCandidates(answer, symbol, chains),
      ),
  };
}

function isPoolSource(name: string): name is PoolSource {
  return name in POOL_SOURCES;
}
