import type { EscrowContract, TrustChain } from '../../domain/chain/trust-chain.ts';

/** Hooks between a server and the contracts. */
export interface TrustBorder {
  /** Wraps calls that send a transaction. */
  call<T>(act: () => Promise<T>): Promise<T>;
  /** Wraps calls that only read. */
  read<T>(act: () => Promise<T>): Promise<T>;
  /** Wraps the delivery of each confirmed escrow log. */
  fact(key: string, tell: () => Promise<void>): Promise<void>;
  /** Returns true while logs of a key are held. Reads must then omit them too. */
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

/** Wraps the contracts with the hooks. Methods that compute without the chain are not wrapped. */
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

/** Delivers one log at a time. The last one reports the final block. */
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
  // Getters, such as the registry's name, must remain getters.
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
