import { faultOf } from '../../../domain/data/fault.ts';
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

const LISTERS = {
  dexscreener: { path: dexscreenerPools, read: readDexscreener },
  geckoterminal: { path: geckoPools, read: readGecko },
} as const;
type Lister = keyof typeof LISTERS;

/** Creates the reader of decentralized exchange pools from public aggregators. */
export function dexPools(reader: UpstreamReader): DexPools {
  return {
    listers: Object.keys(LISTERS),
    summer: 'dexpaprika',
    finder: 'dexscreener',
    pools: async (lister, { deadline, ...place }) => {
      if (!isLister(lister)) {
        const detail = `Not a pool source. Allowed: ${Object.keys(LISTERS).join(', ')}.`;
        return { ok: false, fault: faultOf('invalid_input', { upstream: lister, detail }) };
      }
      const { path, read } = LISTERS[lister];
      const request = { upstream: lister, path: path(place), deadline };
      return reader.read(request, (answer) => read(answer, place));
    },
    token: ({ deadline, ...place }) =>
      reader.read({ upstream: 'dexpaprika', path: tokenPath(place), deadline }, (answer) =>
        readToken(answer, place),
      ),
    find: ({ symbol, chains, deadline }) =>
      reader.read({ upstream: 'dexscreener', path: searchPath(symbol), deadline }, (answer) =>
        readCandidates(answer, symbol, chains),
      ),
  };
}

function isLister(name: string): name is Lister {
  return name in LISTERS;
}
