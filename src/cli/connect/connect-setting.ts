import type { ChainSettings } from '../../connect/bridge/chain-settings.ts';
import { createChainReader } from '../../connect/wallet/chain-reader.ts';
import { AppError, invalidSetting } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { Ready } from '../../process/server/ready.ts';
import { readReady } from '../../process/server/ready-file.ts';
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
export function createSettingReader(flags: ChainFlags): () => ChainSettings | undefined {
  const fromFlags = settingFromFlags(flags);
  let last: ChainSettings | undefined;
  return () => {
    const ready = readReady(flags.dataDir);
    if (ready !== undefined) last = settingFromServer(flags.dataDir, ready);
    return fromFlags === undefined || usesSameCoin(fromFlags, last) ? last : fromFlags;
  };
}

/** Returns true if both settings use the same coin; then the server's chain and faucet apply. */
function usesSameCoin({ asset: purse }: ChainSettings, other: ChainSettings | undefined): boolean {
  if (other === undefined || purse.network !== other.asset.network) return false;
  return purse.asset.toLowerCase() === other.asset.asset.toLowerCase();
}

function settingFromFlags({ network, asset, rpc }: ChainFlags): ChainSettings | undefined {
  if (network === undefined) return undefined;
  if (!NETWORK.test(network)) throw invalidSetting('--network', network, 'such as eip155:8453');
  const coin = asset ?? STABLECOINS[network];
  if (coin === undefined || !ADDRESS.test(coin)) {
    if (network === `eip155:${LOCAL_CHAIN}`) return undefined;
    throw invalidSetting('--asset', coin ?? '', `the address of the stablecoin on ${network}`);
  }
  const reader = rpc === undefined ? {} : { reader: createChainReader(rpc) };
  return { asset: { network, asset: coin }, ...reader };
}

function settingFromServer(dataDir: string, { base_url, chain }: Ready): ChainSettings {
  return {
    asset: { network: `eip155:${chain.id}`, asset: chain.token },
    reader: createChainReader(chain.rpc_url),
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
