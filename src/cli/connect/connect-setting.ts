import type { Setting } from '../../connect/bridge/setting.ts';
import { lookAtChain } from '../../connect/wallet/chain-look.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { type Ready, readReady } from '../../process/server/ready-file.ts';
import { readToken } from '../../process/server/token-file.ts';

/** What `stoa connect` was told of the chain. */
export interface ChainFlags {
  readonly dataDir: string;
  readonly network?: string | undefined;
  readonly asset?: string | undefined;
  readonly rpc?: string | undefined;
}

/** Number of the embedded chain. */
const LOCAL_CHAIN = 31_337;
/** What the faucet gives to an empty wallet, in dollars. */
const FUND_USD = '20';
const FAUCET_TIMEOUT_MS = 30 * SECOND_MS;
const NETWORK = /^eip155:[1-9]\d{0,15}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** The dollar of Circle on the networks that are known without being told. */
const STABLECOINS: Readonly<Record<string, string>> = {
  'eip155:8453': '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  'eip155:84532': '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
};

/**
 * Says what is known of the chain, anew at each question: a server may start, or start again, at
 * any time. What its ready file said last holds while it is away.
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

/** What was told holds; a server that pays by the same coin adds its chain and its faucet. */
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
    message: 'The faucet of the local chain gave nothing.',
    data: { status: answer.status },
  });
}

function invalid(name: string, received: string, allowed: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `${name} is ${JSON.stringify(received)}; it must be ${allowed}.`,
    data: { name, received, allowed },
  });
}
