import type {
  AnchorContract,
  EscrowContract,
  FeedbackRegistry,
  IdentityRegistry,
  TrustChain,
} from '../../domain/chain/trust-chain.ts';

/** Hooks between a server and the contracts. */
export interface TrustHooks {
  /** Wraps calls that send a transaction. */
  call<T>(act: () => Promise<T>): Promise<T>;
  /** Wraps calls that only read. */
  read<T>(act: () => Promise<T>): Promise<T>;
  /** Wraps the delivery of each confirmed escrow log. */
  fact(key: string, tell: () => Promise<void>): Promise<void>;
  /** Returns true while logs of a key are held. Reads must then omit them too. */
  isHolding(key: string): boolean;
}

type Method =
  | keyof AnchorContract
  | keyof EscrowContract
  | keyof FeedbackRegistry
  | keyof IdentityRegistry
  | keyof TrustChain;

const CALLS: readonly Method[] = [
  ...(['fund', 'returnOrphan', 'move', 'register'] as const),
  ...(['setWallet', 'transfer', 'setUri', 'giveFeedback', 'anchor'] as const),
];
const READS: readonly Method[] = [
  ...(['readJob', 'readHoldings', 'read', 'metadata', 'latest', 'covering'] as const),
  ...(['isSignedBy', 'nowS', 'readMarketCount'] as const),
];

/** Wraps the contracts with the hooks. Methods that compute without the chain are not wrapped. */
export function wrapTrust(trust: TrustChain, border: TrustHooks): TrustChain {
  const { identity, reputation, escrow, anchor } = trust;
  return {
    ...wrapMethods(trust, border),
    identity: wrapMethods(identity, border),
    reputation: wrapMethods(reputation, border),
    escrow: {
      ...wrapMethods(escrow, border),
      subscribe: wrapFollow(escrow.subscribe, border),
      readLogs: async (fromBlock) => {
        const { logs, upTo } = await border.read(() => escrow.readLogs(fromBlock));
        return { logs: logs.filter(({ key }) => !border.isHolding(key)), upTo };
      },
    },
    anchor: wrapMethods(anchor, border),
  };
}

/** Delivers one log at a time. The last one reports the final block. */
function wrapFollow(
  follow: EscrowContract['subscribe'],
  { fact }: TrustHooks,
): EscrowContract['subscribe'] {
  return (fromBlock, listener) =>
    follow(fromBlock, async (logs, upTo) => {
      for (const [at, log] of logs.entries()) {
        const isLast = at === logs.length - 1;
        await fact(log.key, () => listener([log], isLast ? upTo : log.block - 1));
      }
    });
}

function wrapMethods<T extends object>(whole: T, border: TrustHooks): T {
  const names = Object.keys(whole);
  const wrapped = names.flatMap((name) => {
    const member = Reflect.get(whole, name) as unknown;
    const around = hookFor(name, border);
    if (typeof member !== 'function' || around === undefined) return [];
    const passed = (...args: unknown[]) => around(() => Reflect.apply(member, whole, args));
    return [[name, passed] as const];
  });
  // Getters, such as the registry's name, must remain getters.
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(whole),
      ...Object.fromEntries(wrapped.map(([name, value]) => [name, { value, enumerable: true }])),
    },
  ) as T;
}

function hookFor(name: string, border: TrustHooks): TrustHooks['call'] | undefined {
  if (CALLS.includes(name as Method)) return border.call;
  return READS.includes(name as Method) ? border.read : undefined;
}
