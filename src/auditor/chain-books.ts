import {
  createPublicClient,
  type Hex,
  http,
  type PublicClient,
  parseAbi,
  parseEventLogs,
} from 'viem';
import { AppError } from '../domain/error.ts';

/** Whose books are read. */
export interface BookAccounts {
  readonly token: Hex;
  readonly treasury: Hex;
  /** `null` where no job was ever escrowed. */
  readonly escrow: Hex | null;
}

/** A movement of the token that touches the treasury or the escrow. */
export interface Movement {
  readonly transaction: string;
  readonly block: number;
  readonly logIndex: number;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
}

/** Something that the escrow said. */
export type EscrowSaying = {
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

/** The books as the chain's logs tell them, up to one block. */
export interface ChainBooks extends BookAccounts {
  readonly head: number;
  readonly firstBlock: number;
  readonly movements: readonly Movement[];
  readonly sayings: readonly EscrowSaying[];
  readonly balances: { readonly treasury: bigint; readonly escrow: bigint };
}

/** Blocks that one query for logs spans; public nodes refuse much more. */
const SPAN = 9_000;
const NAMES = 'bytes32 indexed key, bytes32 indexed jobId, address indexed buyer' as const;
const SHARES = 'address provider, uint128 amount, uint16 feeBps, uint40 fulfilBy' as const;
const PAID = 'uint256 net, uint256 fee, bool isAutomatic' as const;
const ABI = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  `event JobEscrowed(${NAMES}, ${SHARES})`,
  `event JobReleased(bytes32 indexed key, address indexed provider, ${PAID})`,
  'event JobRefunded(bytes32 indexed key, address indexed buyer, uint256 amount)',
  'event Owed(address indexed party, uint256 amount)',
  'event OrphanReturned(address indexed buyer, bytes32 indexed nonce, uint256 amount)',
  'function token() view returns (address)',
  'function treasury() view returns (address)',
  'function balanceOf(address account) view returns (uint256)',
]);
const TRANSFER = ABI[0];

/** Opens a node for reading. */
export function openNode(rpcUrl: string): PublicClient {
  return createPublicClient({ transport: http(rpcUrl, { batch: true }) });
}

/**
 * Finds the accounts from what the feed names: the escrow that spoke in the transaction of a job,
 * or the token and payee in the transaction of a payment.
 */
export async function findAccounts(
  node: PublicClient,
  named: { readonly jobs: readonly string[]; readonly payments: readonly string[] },
): Promise<BookAccounts | undefined> {
  const job = await logsOf(node, named.jobs);
  const escrowed = job.find(({ eventName }) => eventName.startsWith('Job'));
  if (escrowed !== undefined) return accountsOf(node, escrowed.address);
  const payment = await logsOf(node, named.payments);
  const used = payment.find((log) => log.eventName === 'AuthorizationUsed');
  const transfer = payment.find(
    (log) => log.eventName === 'Transfer' && log.address === used?.address,
  );
  if (transfer?.eventName !== 'Transfer') return undefined;
  return { token: lower(transfer.address), treasury: lower(transfer.args.to), escrow: null };
}

/** Reads whom an escrow pays its fees to, and in which token. */
export async function accountsOf(node: PublicClient, escrow: Hex): Promise<BookAccounts> {
  const view = { address: escrow, abi: ABI } as const;
  const [token, treasury] = await read(() =>
    Promise.all([
      node.readContract({ ...view, functionName: 'token' }),
      node.readContract({ ...view, functionName: 'treasury' }),
    ]),
  );
  return { token: lower(token), treasury: lower(treasury), escrow: lower(escrow) };
}

/** Reads the books up to the newest block. @throws {AppError} `CHAIN_UNAVAILABLE` */
export async function readChainBooks(
  node: PublicClient,
  accounts: BookAccounts,
  fromBlock: number,
): Promise<ChainBooks> {
  const { token, treasury, escrow } = accounts;
  const ours = escrow === null ? [treasury] : [treasury, escrow];
  return read(async () => {
    const head = await node.getBlockNumber({ cacheTime: 0 });
    const view = { address: token, abi: ABI, functionName: 'balanceOf' } as const;
    const [held, escrowed] = await Promise.all([
      node.readContract({ ...view, args: [treasury] }),
      escrow === null ? 0n : node.readContract({ ...view, args: [escrow] }),
    ]);
    const movements: Movement[] = [];
    const sayings: EscrowSaying[] = [];
    for (let from = BigInt(fromBlock); from <= head; from += BigInt(SPAN)) {
      const last = from + BigInt(SPAN) - 1n;
      const span = { fromBlock: from, toBlock: last > head ? head : last };
      const transfer = { address: token, event: TRANSFER, ...span } as const;
      const [into, out, said] = await Promise.all([
        node.getLogs({ ...transfer, args: { to: ours } }),
        node.getLogs({ ...transfer, args: { from: ours } }),
        escrow === null ? [] : node.getLogs({ address: escrow, ...span }),
      ]);
      movements.push(...unique([...into, ...out].map((log) => movementOf(log, log.args))));
      sayings.push(...parseEventLogs({ abi: ABI, logs: said }).flatMap(sayingOf));
    }
    if ((await node.getBlockNumber({ cacheTime: 0 })) !== head) throw moved();
    const balances = { treasury: held, escrow: escrowed };
    const at = { head: Number(head), firstBlock: fromBlock };
    return { ...accounts, ...at, movements: sorted(movements), sayings: sorted(sayings), balances };
  });
}

/** Whether the node still has its first blocks: one that forgets cannot tell all of the books. */
export async function hasAllBlocks(node: PublicClient): Promise<boolean> {
  const head = await read(() => node.getBlockNumber({ cacheTime: 0 }));
  if (head === 0n) return true;
  return node.getBlock({ blockNumber: 1n }).then(
    () => true,
    () => false,
  );
}

type Parsed = ReturnType<typeof parseEventLogs<typeof ABI>>[number];

async function logsOf(node: PublicClient, hashes: readonly string[]): Promise<readonly Parsed[]> {
  for (const hash of hashes as readonly Hex[]) {
    const receipt = await node.getTransactionReceipt({ hash }).catch(() => undefined);
    if (receipt !== undefined) return parseEventLogs({ abi: ABI, logs: receipt.logs });
  }
  return [];
}

interface Placed {
  readonly block: number;
  readonly logIndex: number;
}

function movementOf(
  log: Parameters<typeof placeOf>[0],
  {
    from = '0x',
    to = '0x',
    value = 0n,
  }: { from?: Hex | undefined; to?: Hex | undefined; value?: bigint | undefined },
): Movement {
  return { ...placeOf(log), from: lower(from), to: lower(to), value };
}

function sayingOf(log: Parsed): readonly EscrowSaying[] {
  const place = placeOf(log);
  switch (log.eventName) {
    case 'JobEscrowed': {
      const { key, buyer, amount, feeBps } = log.args;
      return [{ ...place, name: log.eventName, key, party: lower(buyer), amount, feeBps }];
    }
    case 'JobReleased': {
      const { key, provider, net, fee } = log.args;
      return [{ ...place, name: log.eventName, key, party: lower(provider), net, fee }];
    }
    case 'JobRefunded': {
      const { key, buyer, amount } = log.args;
      return [{ ...place, name: log.eventName, key, party: lower(buyer), amount }];
    }
    case 'Owed':
      return [
        { ...place, name: log.eventName, party: lower(log.args.party), amount: log.args.amount },
      ];
    case 'OrphanReturned':
      return [
        { ...place, name: log.eventName, party: lower(log.args.buyer), amount: log.args.amount },
      ];
    case 'Transfer':
    case 'AuthorizationUsed':
      return [];
  }
}

function placeOf(log: {
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

/** What goes from one account of ours to the other is in both answers. */
function unique(movements: readonly Movement[]): readonly Movement[] {
  const named = movements.map((each) => [`${each.block}:${each.logIndex}`, each] as const);
  return [...new Map(named).values()];
}

function sorted<Each extends Placed>(rows: readonly Each[]): readonly Each[] {
  return rows.toSorted((a, b) => a.block - b.block || a.logIndex - b.logIndex);
}

function lower(address: Hex): Hex {
  return address.toLowerCase() as Hex;
}

async function read<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (cause) {
    throw cause instanceof AppError ? cause : new AppError('CHAIN_UNAVAILABLE', { cause });
  }
}

function moved(): AppError {
  return new AppError('CHAIN_UNAVAILABLE', { message: 'The chain went on while it was read.' });
}
