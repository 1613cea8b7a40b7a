import {
  BaseError,
  createPublicClient,
  type Hex,
  http,
  LimitExceededRpcError,
  type PublicClient,
  parseAbi,
  parseEventLogs,
} from 'viem';
import { z } from 'zod';
import { bufferResponse } from '../domain/common/bounded-bytes.ts';
import { AppError } from '../domain/common/error.ts';

/** The accounts to audit. */
export interface BookAccounts {
  readonly token: Hex;
  readonly treasury: Hex;
  /** `null` if no job was ever escrowed. */
  readonly escrow: Hex | null;
}

/** A token transfer from or to the treasury or the escrow. */
export interface Movement {
  readonly transaction: string;
  readonly block: number;
  readonly logIndex: number;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
}

/** An event of the escrow. */
export type EscrowEvent = {
  readonly transaction: string;
  readonly block: number;
  readonly logIndex: number;
} & (
  | {
      readonly name: 'JobEscrowed';
      readonly key: string;
      readonly party: string;
      readonly amount: bigint;
      readonly feeBps: number;
    }
  | {
      readonly name: 'JobReleased';
      readonly key: string;
      readonly party: string;
      readonly net: bigint;
      readonly fee: bigint;
    }
  | {
      readonly name: 'JobRefunded';
      readonly key: string;
      readonly party: string;
      readonly amount: bigint;
    }
  | {
      readonly name: 'OrphanReturned';
      readonly party: string;
      readonly amount: bigint;
    }
  | { readonly name: 'Owed'; readonly party: string; readonly amount: bigint }
);

/** The books from the chain's logs, up to one block. */
export interface ChainBooks extends BookAccounts {
  readonly head: number;
  readonly firstBlock: number;
  readonly movements: readonly Movement[];
  readonly sayings: readonly EscrowEvent[];
  readonly balances: { readonly treasury: bigint; readonly escrow: bigint };
}

/** Block span of one log query; public nodes reject much larger ones. */
export const BLOCK_SPAN_MAX = 9_000n;
const ESCROWED_KEYS = 'bytes32 indexed key, bytes32 indexed jobId, address indexed buyer' as const;
const ESCROWED_TERMS = 'address provider, uint128 amount, uint16 feeBps, uint40 fulfilBy' as const;
const RELEASED_TERMS = 'uint256 net, uint256 fee, bool isAutomatic' as const;
/** The parts of token and escrow that are read. */
export const ABI = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  `event JobEscrowed(${ESCROWED_KEYS}, ${ESCROWED_TERMS})`,
  `event JobReleased(bytes32 indexed key, address indexed provider, ${RELEASED_TERMS})`,
  'event JobRefunded(bytes32 indexed key, address indexed buyer, uint256 amount)',
  'event Owed(address indexed party, uint256 amount)',
  'event OrphanReturned(address indexed buyer, bytes32 indexed nonce, uint256 amount)',
  'function token() view returns (address)',
  'function treasury() view returns (address)',
  'function operator() view returns (address)',
  'function balanceOf(address account) view returns (uint256)',
]);
const TRANSFER = ABI[0];

/** Maximum size of a node response, in bytes. */
export const NODE_ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** Creates a read client of a node. */
export function createNodeClient(rpcUrl: string): PublicClient {
  return createPublicClient({
    transport: http(rpcUrl, {
      batch: true,
      fetchFn: async (input, init) =>
        bufferResponse(await fetch(input, init), NODE_ANSWER_BYTES_MAX),
      maxResponseBodySize: NODE_ANSWER_BYTES_MAX,
    }),
  });
}

/** Reads the token and the treasury of an escrow. */
export async function readAccounts(node: PublicClient, escrow: Hex): Promise<BookAccounts> {
  const view = { address: escrow, abi: ABI } as const;
  const [token, treasury] = await runNodeQuery(() =>
    Promise.all([
      node.readContract({ ...view, functionName: 'token' }),
      node.readContract({ ...view, functionName: 'treasury' }),
    ]),
  );
  return {
    token: toLowerAddress(token),
    treasury: toLowerAddress(treasury),
    escrow: toLowerAddress(escrow),
  };
}

/** Reads the books up to the latest block. @throws {AppError} `CHAIN_UNAVAILABLE` */
export async function readChainBooks(
  node: PublicClient,
  accounts: BookAccounts,
  fromBlock: number,
): Promise<ChainBooks> {
  const { token, treasury, escrow } = accounts;
  return runNodeQuery(async () => {
    const head = await node.getBlockNumber({ cacheTime: 0 });
    // Balances refer to the same block, because transactions may arrive faster than the logs are
    // read.
    const at = { address: token, abi: ABI, functionName: 'balanceOf', blockNumber: head } as const;
    const [held, escrowed] = await Promise.all([
      node.readContract({ ...at, args: [treasury] }),
      escrow === null ? 0n : node.readContract({ ...at, args: [escrow] }),
    ]);
    const movements: Movement[] = [];
    const sayings: EscrowEvent[] = [];
    for await (const read of readLogsUpTo(node, accounts, { from: BigInt(fromBlock), head })) {
      movements.push(...read.movements);
      sayings.push(...read.sayings);
    }
    const balances = { treasury: held, escrow: escrowed };
    const span = { head: Number(head), firstBlock: fromBlock };
    return {
      ...accounts,
      ...span,
      movements: sortByPosition(movements),
      sayings: sortByPosition(sayings),
      balances,
    };
  });
}

/**
 * Checks whether the node still has the logs of its first blocks; otherwise the books are
 * incomplete. A node that keeps logs without blocks declares it in `eth_capabilities`.
 */
export async function hasAllLogs(node: PublicClient): Promise<boolean> {
  const head = await runNodeQuery(() => node.getBlockNumber({ cacheTime: 0 }));
  if (head === 0n) return true;
  const first = await node.getBlock({ blockNumber: 1n }).catch(() => undefined);
  if (first !== undefined) return true;
  const capabilities = Capabilities.safeParse(
    await node
      .request<{ Parameters?: undefined; ReturnType: unknown }>({ method: 'eth_capabilities' })
      .catch(() => undefined),
  );
  return (
    capabilities.success &&
    !capabilities.data.logs.disabled &&
    Number(capabilities.data.logs.oldestBlock) === 0
  );
}

const Capabilities = z.object({
  logs: z.object({ disabled: z.boolean(), oldestBlock: z.string().regex(/^0x[0-9a-f]+$/) }),
});

interface BookLogs {
  readonly movements: readonly Movement[];
  readonly sayings: readonly EscrowEvent[];
}

/** Reads logs up to the latest block. Halves the span if the node rejects a query as too large. */
async function* readLogsUpTo(
  node: PublicClient,
  accounts: BookAccounts,
  { from, head }: { readonly from: bigint; readonly head: bigint },
): AsyncGenerator<BookLogs> {
  let span = BLOCK_SPAN_MAX;
  for (let next = from; next <= head; ) {
    const last = next + span - 1n > head ? head : next + span - 1n;
    try {
      yield await readLogsBetween(node, accounts, { fromBlock: next, toBlock: last });
      next = last + 1n;
    } catch (thrown) {
      if (span === 1n || !isRangeTooLarge(thrown)) throw thrown;
      span /= 2n;
    }
  }
}

async function readLogsBetween(
  node: PublicClient,
  { token, treasury, escrow }: BookAccounts,
  span: { readonly fromBlock: bigint; readonly toBlock: bigint },
): Promise<BookLogs> {
  const ours = escrow === null ? [treasury] : [treasury, escrow];
  const transfer = { address: token, event: TRANSFER, ...span } as const;
  const [into, out, said] = await Promise.all([
    node.getLogs({ ...transfer, args: { to: ours } }),
    node.getLogs({ ...transfer, args: { from: ours } }),
    escrow === null ? [] : node.getLogs({ address: escrow, ...span }),
  ]);
  return {
    movements: removeDuplicates([...into, ...out].map((log) => toMovement(log, log.args))),
    sayings: parseEventLogs({ abi: ABI, logs: said }).flatMap(toEscrowEvents),
  };
}

function isRangeTooLarge(thrown: unknown): boolean {
  return (
    thrown instanceof BaseError &&
    thrown.walk((each) => each instanceof LimitExceededRpcError) !== null
  );
}

/** A parsed log of the token or the escrow. */
export type ParsedLog = ReturnType<typeof parseEventLogs<typeof ABI>>[number];

interface LogPosition {
  readonly block: number;
  readonly logIndex: number;
}

function toMovement(
  log: Parameters<typeof logPositionOf>[0],
  {
    from = '0x',
    to = '0x',
    value = 0n,
  }: { from?: Hex | undefined; to?: Hex | undefined; value?: bigint | undefined },
): Movement {
  return { ...logPositionOf(log), from: toLowerAddress(from), to: toLowerAddress(to), value };
}

function toEscrowEvents(log: ParsedLog): readonly EscrowEvent[] {
  const position = logPositionOf(log);
  switch (log.eventName) {
    case 'JobEscrowed': {
      const { key, buyer, amount, feeBps } = log.args;
      return [
        { ...position, name: log.eventName, key, party: toLowerAddress(buyer), amount, feeBps },
      ];
    }
    case 'JobReleased': {
      const { key, provider, net, fee } = log.args;
      return [{ ...position, name: log.eventName, key, party: toLowerAddress(provider), net, fee }];
    }
    case 'JobRefunded': {
      const { key, buyer, amount } = log.args;
      return [{ ...position, name: log.eventName, key, party: toLowerAddress(buyer), amount }];
    }
    case 'Owed':
      return [
        {
          ...position,
          name: log.eventName,
          party: toLowerAddress(log.args.party),
          amount: log.args.amount,
        },
      ];
    case 'OrphanReturned':
      return [
        {
          ...position,
          name: log.eventName,
          party: toLowerAddress(log.args.buyer),
          amount: log.args.amount,
        },
      ];
    case 'Transfer':
    case 'AuthorizationUsed':
      return [];
  }
}

function logPositionOf(log: {
  readonly transactionHash: Hex | null;
  readonly blockNumber: bigint | null;
  readonly logIndex: number | null;
}) {
  return {
    transaction: log.transactionHash ?? '0x',
    block: Number(log.blockNumber),
    logIndex: Number(log.logIndex),
  } as const;
}

/** Transfers between our own accounts appear in both queries. */
function removeDuplicates(movements: readonly Movement[]): readonly Movement[] {
  const named = movements.map((each) => [`${each.block}:${each.logIndex}`, each] as const);
  return [...new Map(named).values()];
}

function sortByPosition<Each extends LogPosition>(rows: readonly Each[]): readonly Each[] {
  return rows.toSorted((a, b) => a.block - b.block || a.logIndex - b.logIndex);
}

/** Normalizes an address for comparison. */
export function toLowerAddress(address: Hex): Hex {
  return address.toLowerCase() as Hex;
}

/** Runs a node query. @throws {AppError} `CHAIN_UNAVAILABLE` */
export async function runNodeQuery<Result>(query: () => Promise<Result>): Promise<Result> {
  try {
    return await query();
  } catch (cause) {
    throw cause instanceof AppError ? cause : new AppError('CHAIN_UNAVAILABLE', { cause });
  }
}
