// The reputation of an agent, computed from the chain alone: feedback in the ERC-8004 registry, the
// files that it names, and the payments that they prove. The formula is in docs/reputation.md.
//   node examples/reputation-from-chain.mjs <agent id> --rpc <url> --reputation 0x… --escrow 0x…
// The agent id is eip155:<chain>:<registry>:<number>, as in its passport. With the embedded chain,
// use its history_url, which has all logs.
// It uses viem and fetch, and nothing of the server's code. It counts only feedback by the operator
// of the escrow, and of that only what the escrow or the token confirms.
import { parseArgs } from 'node:util';
import { createPublicClient, http, keccak256, parseAbi, parseAbiItem, zeroAddress } from 'viem';

const DAY_MS = 86_400_000;
const USD = 1_000_000n;
/** How far the stated time of a payment may be from that of its block, in milliseconds. */
const CLOCKS_APART_MS = 600_000;

const VIEWS = parseAbi([
  'function operator() view returns (address)',
  'function treasury() view returns (address)',
  'function token() view returns (address)',
  'function ownerOf(uint256) view returns (address)',
  'function getAgentWallet(uint256) view returns (address)',
  'function getIdentityRegistry() view returns (address)',
]);
const GIVEN = [
  'event NewFeedback(uint256 indexed agentId, address indexed clientAddress, uint64 feedbackIndex,',
  'int128 value, uint8 valueDecimals, string indexed indexedTag1, string tag1, string tag2,',
  'string endpoint, string feedbackURI, bytes32 feedbackHash)',
].join(' ');
const FEEDBACK = parseAbi([
  GIVEN,
  'event FeedbackRevoked(uint256 indexed agentId, address indexed clientAddress, uint64 indexed feedbackIndex)',
]);
const ESCROW = parseAbi([
  'event JobEscrowed(bytes32 indexed key, bytes32 indexed jobId, address indexed buyer, address provider, uint128 amount, uint16 feeBps, uint40 fulfilBy)',
  'event JobFulfilled(bytes32 indexed key, bytes32 deliverable, uint40 releaseBy)',
  'event JobReleased(bytes32 indexed key, address indexed provider, uint256 net, uint256 fee, bool isAutomatic)',
  'event JobRefunded(bytes32 indexed key, address indexed buyer, uint256 amount)',
  'event DisputeDecided(bytes32 indexed key, bool isForProvider, bytes32 verdict)',
]);
const TRANSFER = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rpc: { type: 'string' },
    reputation: { type: 'string' },
    escrow: { type: 'string' },
  },
});
const [namespace, chainId, identity, agentId] = (positionals[0] ?? '').split(':');
if (namespace !== 'eip155' || agentId === undefined || !values.rpc || !values.reputation) {
  process.stderr.write(
    'Usage: reputation-from-chain.mjs eip155:<chain>:<registry>:<number> ' +
      '--rpc <url> --reputation 0x… --escrow 0x…\n',
  );
  process.exit(2);
}

const client = createPublicClient({ transport: http(values.rpc) });
const { reputation, escrow } = values;
const view = (address, functionName, args = []) =>
  client.readContract({ address, abi: VIEWS, functionName, args });
const all = { fromBlock: 0n, toBlock: 'latest' };

await requireSameChain();
const [operator, treasury, token] = await Promise.all(
  ['operator', 'treasury', 'token'].map(async (name) => lower(await view(escrow, name))),
);
const bound = await view(identity, 'getAgentWallet', [BigInt(agentId)]);
const wallet = lower(
  bound === zeroAddress ? await view(identity, 'ownerOf', [BigInt(agentId)]) : bound,
);

const jobs = await readEscrow();
const transfers = await readTransfers();
const counted = [];
const ignored = [];
for (const given of await readFeedback()) {
  const checked = await check(given);
  if (typeof checked === 'string') ignored.push({ ...given, why: checked });
  else counted.push({ agentId: given.agentId, ...checked });
}
const score = computeScore(dropRepeats(counted));
process.stdout.write(
  `${JSON.stringify({
    agent_id: positionals[0],
    wallet,
    score,
    counted: counted.filter((each) => each.agentId === agentId).length,
    ignored: ignored.map(({ client: from, index, why }) => ({ client: from, index, why })),
  })}\n`,
);

async function requireSameChain() {
  const found = [
    String(await client.getChainId()),
    lower(await view(reputation, 'getIdentityRegistry')),
  ];
  if (found[0] !== chainId || found[1] !== lower(identity)) {
    throw new Error(
      `expected chain ${chainId} and registry ${identity}, found ${found.join(', ')}`,
    );
  }
}

/** All feedback that was not revoked, oldest first. */
async function readFeedback() {
  const logs = await client.getLogs({ address: reputation, events: FEEDBACK, ...all });
  const keyOf = ({ args }) => `${args.agentId}:${args.clientAddress}:${args.feedbackIndex}`;
  const revoked = new Set(
    logs.filter(({ eventName }) => eventName === 'FeedbackRevoked').map(keyOf),
  );
  return logs
    .filter((log) => log.eventName === 'NewFeedback' && !revoked.has(keyOf(log)))
    .map(({ args }) => ({
      agentId: String(args.agentId),
      client: lower(args.clientAddress),
      index: Number(args.feedbackIndex),
      value: Number(args.value) / 10 ** args.valueDecimals,
      tag1: args.tag1,
      tag2: args.tag2,
      uri: args.feedbackURI,
      hash: args.feedbackHash,
    }));
}

/** The jobs of the escrow, by the transaction that ended them. */
async function readEscrow() {
  const logs = await client.getLogs({ address: escrow, events: ESCROW, ...all });
  const byKey = new Map();
  const ended = new Map();
  for (const { eventName, args, transactionHash, blockNumber } of logs) {
    const job = byKey.get(args.key) ?? {};
    byKey.set(args.key, job);
    if (eventName === 'JobEscrowed') {
      const { buyer, provider, amount: price } = args;
      Object.assign(job, { buyer: lower(buyer), provider: lower(provider), price });
    }
    if (eventName === 'JobFulfilled') job.isDelivered = true;
    if (eventName === 'DisputeDecided') job.isLost = !args.isForProvider;
    if (eventName === 'JobReleased') Object.assign(job, { isReleased: true, fee: args.fee });
    if (eventName === 'JobRefunded') job.isRefunded = true;
    ended.set(transactionHash, { job, blockNumber });
  }
  return ended;
}

/** What the escrow and the treasury paid, as `from:to:transaction`. */
async function readTransfers() {
  const logs = await client.getLogs({
    address: token,
    event: TRANSFER,
    args: { from: [escrow, treasury] },
    ...all,
  });
  return new Map(
    logs.map(({ args, transactionHash, blockNumber }) => [
      [args.from, args.to, transactionHash].map(lower).join(':'),
      { value: args.value, blockNumber },
    ]),
  );
}

/** Returns the job that feedback proves, or why it does not count. */
async function check({ agentId: about, client: from, value, tag1, tag2, uri, hash }) {
  if (from !== operator) return 'not by the operator of the escrow';
  if (tag1 !== 'settledJob') return 'another kind of feedback';
  const text = await (await fetch(uri)).text();
  if (keccak256(new TextEncoder().encode(text)) !== hash) return 'the file has another hash';
  const file = JSON.parse(text);
  const isAbout =
    lower(file.agentRegistry) === `eip155:${chainId}:${lower(identity)}` &&
    String(file.agentId) === about &&
    lower(file.clientAddress) === `eip155:${chainId}:${from}` &&
    file.value / 10 ** file.valueDecimals === value &&
    file.tag2 === tag2;
  if (!isAbout) return 'the file is about other feedback';
  const { job, proofOfPayment: proof } = file;
  const stated = {
    ...job,
    outcome: tag2,
    price: BigInt(job.price),
    fee: BigInt(job.fee),
    at: Date.parse(job.settledAt),
  };
  // Nobody held money for a job that is paid on release and was never delivered.
  if (proof === undefined) {
    return tag2 === 'unfulfilled' && job.funding === 'on_release' ? stated : 'no proof of payment';
  }
  if (proof.chainId !== chainId) return 'paid on another chain';
  const ends = [proof.fromAddress, proof.toAddress, proof.txHash].map(lower);
  const paid = transfers.get(ends.join(':'));
  if (paid === undefined) return 'the chain has no such payment';
  if (await isElsewhen(paid.blockNumber, stated.at)) return 'the payment has another time';
  const isProven = job.funding === 'escrow' ? isEnd(stated, ends[2]) : isPayout(stated, paid, ends);
  return isProven ? stated : 'the chain says otherwise about the job';
}

function isEnd({ outcome, buyer, provider, price, fee }, transaction) {
  const { job } = jobs.get(transaction) ?? {};
  if (job?.buyer !== buyer || job.provider !== provider || job.price !== price) return false;
  if (outcome === 'released') return job.isReleased && job.isDelivered && job.fee === fee;
  return outcome === 'disputeLost' ? job.isLost : job.isRefunded && !job.isDelivered;
}

function isPayout({ outcome, provider, price, fee }, { value }, [from, to]) {
  return outcome === 'released' && from === treasury && to === provider && value === price - fee;
}

/** Whether a block has another time. An embedded chain may have dropped it, but not its logs. */
async function isElsewhen(blockNumber, at) {
  const block = await client.getBlock({ blockNumber }).catch(() => undefined);
  return block !== undefined && Math.abs(Number(block.timestamp) * 1_000 - at) > CLOCKS_APART_MS;
}

/** Each job counts once per outcome, whoever wrote about it twice. */
function dropRepeats(given) {
  return [...new Map(given.map((each) => [`${each.id}:${each.outcome}`, each])).values()];
}

function computeScore(given) {
  const own = given.filter((each) => each.agentId === agentId && each.provider === wallet);
  const groups = circles([
    ...given.filter(({ outcome }) => outcome === 'released'),
    ...[...jobs.values()].map(({ job }) => job).filter((job) => job.isReleased && job.isDelivered),
  ]);
  const good = own.filter(
    ({ outcome, buyer }) => outcome === 'released' && !groups.areCircular(buyer, wallet),
  );
  const value = ({ price, fee }) => min(price, fee * 5n);
  const weight = (amount) => min(amount, 20n * USD);
  const V = sum(good.map(value));
  const W = sum(good.map((job) => weight(value(job))));
  const E = sum(good.map((job) => (job.funding === 'escrow' ? weight(value(job)) : 0n)));
  const B = sum(
    own.map(({ outcome, price }) => {
      if (outcome === 'released') return 0n;
      return (outcome === 'disputeLost' ? 3n : 1n) * weight(price);
    }),
  );
  const byBuyer = new Map();
  for (const job of good) byBuyer.set(job.buyer, (byBuyer.get(job.buyer) ?? 0n) + value(job));
  const D = min(50n * USD, sum([...byBuyer.values()].map((total) => min(total, 5n * USD))));
  const times = good.map(({ at }) => at);
  const ageMs = V === 0n ? 0 : Math.min(Math.max(...times) - Math.min(...times), 90 * DAY_MS);
  const whole = W + B + 100n * USD;
  const milli =
    min(30_000n, (33_000n * V) / (V + 500n * USD)) +
    (40_000n * W) / whole +
    (15_000n * D) / (50n * USD) +
    (10_000n * E) / whole +
    (5_000n * BigInt(ageMs) * W) / (BigInt(90 * DAY_MS) * whole);
  return Number(milli / 1_000n);
}

/** Finds who can be reached from whom by payments for delivered and settled jobs. */
function circles(paid) {
  const next = new Map();
  for (const { buyer, provider } of paid) {
    next.set(buyer, (next.get(buyer) ?? new Set()).add(provider));
  }
  const isReachable = (from, to) => {
    const seen = new Set();
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const each of next.get(at) ?? []) {
        if (each === to) return true;
        if (!seen.has(each)) open.push(each);
        seen.add(each);
      }
    }
    return false;
  };
  return { areCircular: (a, b) => a === b || (isReachable(a, b) && isReachable(b, a)) };
}

function lower(text) {
  return text?.toLowerCase();
}

function min(a, b) {
  return a < b ? a : b;
}

function sum(amounts) {
  return amounts.reduce((total, each) => total + each, 0n);
}
