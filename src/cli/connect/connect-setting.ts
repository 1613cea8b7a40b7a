import type { Setting } from '../../connect/bridge/setting.ts';
import { lookAtChain } from '../../connect/wallet/chain-look.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { type Ready, readReady } from '../../process/server/ready-file.ts';
import { readToken } from '../../process/server/token-file.ts';

/** The chain flags of `stoa connect`. */
export interface ChainFlags {
  readonly dataDir: string;
  readonly network?: string | undefined;
  readonly asset?: string | undefined;
  readonly rpc?: string | undefined;
}

/** Chain id of the embedded chain. */
const LOCAL_CHAIN = 31_337;
/** Amount that the faucet sends to an empty wallet, in dollars. */
const FUND_USD = '20';
const FAUCET_TIMEOUT_MS = 30 * SECOND_MS;
const NETWORK = /^eip155:[1-9]\d{0,15}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Circle's USDC on the networks with a built-in default. */
const STABLECOINS: Readonly<Record<string, string>> = {
  'eip155:8453': '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  'eip155:84532': '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
};

/**
 * Returns a function that resolves the chain setting anew at each call, because a server can start
 * or restart at any time. While it is down, its last ready file applies.
 *
 * @throws {AppError} `CONFIG_INVALID` for a network without a known stablecoin.
 */
export function connectSetting(flags: ChainFlags): () => Setting | undefined {
  const told = toldSetting(flags);
  let last: Setting | undefined;
  return () => {
    const ready = readReady(flags.dataDir);
    if (ready !== undefined) last = servedSetting(flags.dataDir, ready);
    return told === undefined || isSamePurse(told, last) ? last : told;
  };
}

/** Returns true if both settings use the same coin; then the server's chain and faucet apply. */
function isSamePurse({ purse }: Setting, other: Setting | undefined): boolean {
  if (other === undefined || purse.network !== other.purse.network) return false;
  return purse.asset.toLowerCase() === other.purse.asset.toLowerCase();
}

function toldSetting({ network, asset, rpc }: ChainFlags): Setting | undefined {
  if (network === undefined) return undefined;
  if (!NETWORK.test(network)) throw invalid('--network', network, 'such as eip155:8453');
  const coin = asset ?? STABLECOINS[network];
  if (coin === undefined || !ADDRESS.test(coin)) {
    if (network === `eip155:${LOCAL_CHAIN}`) return undefined;
    throw invalid('--asset', coin ?? '', `the address of the stablecoin on ${network}`);
  }
  const look = rpc === undefined ? {} : { look: lookAtChain(rpc) };
  return { purse: { network, asset: coin }, ...look };
}

function servedSetting(dataDir: string, { base_url, chain }: Ready): Setting {
  return {
    purse: { network: `eip155:${chain.id}`, asset: chain.token },
    look: lookAtChain(chain.rpc_url),
    ...(chain.id === LOCAL_CHAIN ? { fund: (to: string) => fund(dataDir, base_url, to) } : {}),
  };
}

async function fund(dataDir: string, baseUrl: string, to: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/dev/faucet`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${readToken(dataDir)}`,
    },
    body: JSON.stringify({ to, usd: FUND_USD }),
    signal: AbortSignal.timeout(FAUCET_TIMEOUT_MS),
  });
  if (answer.ok) return;
  throw new AppError('NOT_CONFIGURED', {
    message: 'The faucet of the local chain sent no money.',
    data: { status: answer.status },
  });
}

function invalid(name: string, received: string, allowed: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `${name} is ${JSON.stringify(received)}; it must be ${allowed}.`,
    data: { name, received, allowed },
  });
}
