import type { UserRange } from '../../../sandbox/users.ts';
import type { ReachedRange } from '../../settings.ts';

/** Input of a rule table. */
export interface RuleParts {
  readonly table: string;
  readonly block: Pick<UserRange, 'first' | 'last'>;
  /** Users outside the block, from older versions. */
  readonly others: readonly number[];
  /** Users of data stores, which run no tenant code. */
  readonly stores: readonly number[];
  /** Allowed connections: the listening user and the calling user. */
  readonly pairs: readonly (readonly [number, number])[];
  /** Addresses of name servers. */
  readonly resolvers: readonly string[];
  /** Reachable ranges in addition to the public internet. */
  readonly reach: readonly ReachedRange[];
}

/** IPv4 ranges that are not the public internet. */
const NON_PUBLIC_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
];
/** Ranges inside 2000::/3 that are not the public internet, or tunnel to the ranges above. */
const NON_PUBLIC_V6 = ['2001::/32', '2001:db8::/32', '2002::/16'];

/**
 * Returns the rules of one data directory as text, which `nft` applies atomically.
 *
 * A local connection carries the calling user as its mark. It is established by the answer of the
 * listening program, which may leave only if its user may answer the caller. So the rules need not
 * know ports, and a program that takes another's port gets no callers.
 */
export function formatTable(parts: RuleParts): string {
  const { table, block, others, stores, pairs, resolvers, reach } = parts;
  const users = [`${block.first}-${block.last}`, ...others].join(', ');
  const each = [...listUids(block), ...others];
  const answers = pairs.map((pair) => pair.join(' . '));
  return `table inet ${table}
delete table inet ${table}
table inet ${table} {
  map marks { typeof meta skuid : ct mark; ${formatElements(each.map((uid) => `${uid} : ${uid}`))} }
  set own { typeof meta skuid . ct mark; ${formatElements(each.map((uid) => `${uid} . ${uid}`))} }
  set answers_to { typeof meta skuid . ct mark; ${formatElements(answers)} }
  set stores { typeof meta skuid; ${formatElements(stores.map(String))} }
  chain out {
    type filter hook output priority filter; policy accept;
    tcp flags & (syn | ack) == (syn | ack) ct mark { ${users} } jump answer
    meta skuid { ${users} } jump hosted
  }
  chain answer {
    meta skuid . ct mark @own accept
    meta skuid . ct mark @answers_to accept
    drop
  }
  chain hosted {
    ct state established accept
${resolvers.flatMap(formatResolverRules).join('\n')}
${reach.map(formatReachRule).join('\n')}
    fib daddr type local meta l4proto tcp ct mark set meta skuid map @marks accept
    meta skuid @stores ip daddr 127.0.0.1 meta l4proto udp accept
    meta skuid @stores ip6 daddr ::1 meta l4proto udp accept
    fib daddr type != unicast reject with icmpx admin-prohibited
    ip daddr { ${NON_PUBLIC_V4.join(', ')} } reject with icmpx admin-prohibited
    ip6 daddr { ${NON_PUBLIC_V6.join(', ')} } reject with icmpx admin-prohibited
    meta nfproto ipv6 ip6 daddr != 2000::/3 reject with icmpx admin-prohibited
    meta l4proto != { tcp, udp, icmp, icmpv6 } reject with icmpx admin-prohibited
  }
}
`;
}

/** Returns the changes of a table when a member is added or removed. */
export function formatChanges({
  table,
  stores,
  pairs,
}: Omit<RuleParts, 'block' | 'others' | 'resolvers' | 'reach'>): string {
  const all = { answers_to: pairs.map((pair) => pair.join(' . ')), stores: stores.map(String) };
  return Object.entries(all)
    .map(([set, members]) => {
      const added = `add element inet ${table} ${set} { ${members.join(', ')} }\n`;
      return `flush set inet ${table} ${set}\n${members.length === 0 ? '' : added}`;
    })
    .join('');
}

function formatResolverRules(address: string): readonly string[] {
  const to = `    ${getFamily(address)} daddr ${address}`;
  return [`${to} udp dport 53 accept`, `${to} tcp dport 53 accept`];
}

function formatReachRule({ range, port }: ReachedRange): string {
  const to = `    ${getFamily(range)} daddr ${range} meta l4proto { tcp, udp }`;
  return `${to}${port === undefined ? '' : ` th dport ${port}`} accept`;
}

function getFamily(address: string): 'ip' | 'ip6' {
  return address.includes(':') ? 'ip6' : 'ip';
}

function formatElements(all: readonly string[]): string {
  return all.length === 0 ? '' : `elements = { ${all.join(', ')} }`;
}

function listUids({ first, last }: RuleParts['block']): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
