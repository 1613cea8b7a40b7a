import type { EscrowContract, TrustChain } from '../../domain/chain/trust-chain.ts';

/** What stands between a server and the contracts. */
export interface TrustBorder {
  /** Around what sends a transaction. */
  call<T>(act: () => Promise<T>): Promise<T>;
  /** Around what only asks. */
  read<T>(act: () => Promise<T>): Promise<T>;
  /** Around the telling of each confirmed log of the escrow. */
  fact(key: string, tell: () => Promise<void>): Promise<void>;
  /** True while logs about a key are held: then nobody reads them either. */
  isHolding(key: string): boolean;
}

const CALLS = [
  'fund',
  'returnOrphan',
  'move',
  'register',
  'setWallet',
  'transfer',
  'setUri',
  'anchor',
];
const READS = [
  ...['job', 'holdings', 'read', 'metadata', 'latest', 'covering'],
  ...['isSignedBy', 'nowS', 'markets'],
];

/** The same contracts behind a border. What computes without the chain passes freely. */
export function trustBehind(trust: TrustChain, border: TrustBorder): TrustChain {
  const { identity, escrow, anchor } = trust;
  return {
    ...behind(trust, border),
    identity: behind(identity, border),
    escrow: {
      ...behind(escrow, border),
      follow: followBehind(escrow.follow, border),
      logs: async (fromBlock) => {
        const { logs, upTo } = await border.read(() => escrow.logs(fromBlock));
        return { logs: logs.filter(({ key }) => !border.isHolding(key)), upTo };
      },
    },
    anchor: behind(anchor, border),
  };
}

/** One log after the other; the last one says how far everything is told. */
function followBehind(
  follow: EscrowContract['follow'],
  { fact }: TrustBorder,
): EscrowContract['follow'] {
  return (fromBlock, listener) =>
    follow(fromBlock, async (logs, upTo) => {
      for (const [at, log] of logs.entries()) {
        const isLast = at === logs.length - 1;
        await fact(log.key, () => listener([log], isLast ? upTo : log.block - 1));
      }
    });
}

function behind<T extends object>(whole: T, border: TrustBorder): T {
  const names = Object.keys(whole);
  const wrapped = names.flatMap((name) => {
    const member = Reflect.get(whole, name) as unknown;
    const around = wayOf(name, border);
    if (typeof member !== 'function' || around === undefined) return [];
    const passed = (...args: unknown[]) => around(() => Reflect.apply(member, whole, args));
    return [[name, passed] as const];
  });
  // Members that are read when asked for, such as the registry's name, stay so.
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(whole),
      ...Object.fromEntries(wrapped.map(([name, value]) => [name, { value, enumerable: true }])),
    },
  ) as T;
}

function wayOf(name: string, border: TrustBorder): TrustBorder['call'] | undefined {
  if (CALLS.includes(name)) return border.call;
  return READS.includes(name) ? border.read : undefined;
}
