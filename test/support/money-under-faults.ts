import { setTimeout as sleep } from 'node:timers/promises';
import { encodeAbiParameters, type Hex, keccak256, parseAbi, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { balanceBooks } from '../../src/auditor/balance-books.ts';
import { accountsOf, openNode, readChainBooks } from '../../src/auditor/chain-books.ts';
import type { Claim } from '../../src/auditor/event-claims.ts';
import type { TransferOutcome } from '../../src/domain/ports/payment-chain.ts';
import type { CallOutcome } from '../../src/domain/ports/trust-chain.ts';
import { deployContracts } from '../../src/providers/chain/deploy-contracts.ts';
import type { NodePaymentChain } from '../../src/providers/chain/payment-chain.ts';
import type { ContractAddresses } from '../../src/providers/chain/trust/deploy.ts';
import { FAULTS, type Fault, type FaultyNode, faultyNode } from './faulty-node.ts';
import { nodeRpc } from './node-rpc.ts';
import { createPayer, type Payer, requirementsOf } from './payer.ts';
import type { OpenOptions, SecondChain } from './second-chain.ts';
import { seeded } from './seeded.ts';
import { tempDir } from './temp-dir.ts';
import { createParty, fundingOf, type Party, signMove, termsOf } from './trust-parties.ts';

/** What a run came to. `faults` is empty when the books agree. */
export interface RunReport {
  readonly seed: number;
  readonly kind: Kind;
  readonly faults: readonly string[];
}

/** Which runs are played: seeds in a row, until they are done or their time is over. */
export interface RunOrder {
  readonly firstSeed: number;
  readonly runs: number;
  readonly timeMs: number;
}

/** What all runs came to. */
export interface PlayedRuns {
  readonly runs: number;
  readonly wrong: readonly RunReport[];
  /** How often each fault was met. */
  readonly met: Readonly<Record<Fault, number>>;
}

/** The transactions that an operator sends. */
export const KINDS = ['settlement', 'escrow', 'give_back', 'refund', 'passport', 'anchor'] as const;
export type Kind = (typeof KINDS)[number];

/** Servers at one time, each with a treasury and an escrow of its own. */
const LANES = 6;
/** Runs of one treasury: the auditor reads all of its books behind each. */
const LANE_RUNS = 40;
const PRICE = '250000';
const JOB = '10000000';
/** Share of the calls that meet a fault while a run is played. */
const RATE = 0.25;
/** How often a life ends during a try. */
const KILLS = 0.2;
/** Blocks that make a transaction final: the node never replaces so many. */
const CONFIRMATIONS = 2;
const BLOCK_MS = 40;
/** Tries with faults, after which the node is well again. */
const TRIES_MAX = 6;
/** Tries in all, after which a run that has not ended counts as hanging. */
const TRIES_CALM_MAX = 120;
/** Looks at the books, since another branch may be taken between two questions. */
const AUDITS_MAX = 5;

type Outcome = TransferOutcome | CallOutcome<unknown> | { readonly state: 'unspent' };

/** Plays runs on one chain. Each kind is played at least once, however slow the machine is. */
export async function playMoney(chain: SecondChain, order: RunOrder): Promise<PlayedRuns> {
  const { firstSeed, runs, timeMs } = order;
  const deadline = performance.now() + timeMs;
  const wrong: RunReport[] = [];
  const met = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;
  const [end, least] = [firstSeed + runs, firstSeed + Math.min(runs, KINDS.length)];
  let seed = firstSeed;
  const isOver = () => seed >= end || (seed >= least && performance.now() >= deadline);
  while (!isOver()) {
    const lanes: Lane[] = [];
    while (lanes.length < Math.min(LANES, end - seed)) lanes.push(await openLane(chain));
    // A chain of others makes blocks whoever sends; what waited behind a gap needs the next one.
    const mine = () => void chain.mine(1).catch(() => undefined);
    const mining = setInterval(mine, BLOCK_MS);
    const play = async (lane: Lane) => {
      for (let played = 0; played < LANE_RUNS && !isOver(); played += 1) {
        seed += 1;
        const report = await lane.run(seed - 1);
        if (report.faults.length > 0) wrong.push(report);
      }
    };
    await Promise.all(lanes.map(play));
    clearInterval(mining);
    for (const lane of lanes) {
      for (const fault of FAULTS) met[fault] += lane.node.played[fault];
      await lane.close();
    }
  }
  return { runs: seed - firstSeed, wrong, met };
}

interface Scene {
  readonly chain: SecondChain;
  readonly node: FaultyNode;
  /** The chain as it is, without a relay. */
  readonly truth: NodePaymentChain;
  readonly chance: { next: () => number };
  readonly settings: NonNullable<OpenOptions['settings']>;
  /** Wallets with ten dollars each. */
  readonly payers: Payer[];
  readonly fromBlock: number;
}

/** Opens a server with keys, treasury and escrow that no other one has, and buyers with money. */
async function openLane(chain: SecondChain): Promise<Lane> {
  const { rpcUrl, token } = chain;
  const operatorKey = generatePrivateKey();
  const { address } = privateKeyToAccount(operatorKey);
  await nodeRpc(rpcUrl, 'anvil_setBalance', address, toHex(10n ** 21n));
  const { escrow: _escrow, ...others } = chain.contracts;
  const folder = tempDir();
  const patience = { everyMs: 20, totalMs: 10_000 };
  const common = { rpcUrl, token, operatorKey, dataDir: folder.path, now: Date.now, patience };
  const { addresses } = await deployContracts({ ...common, contracts: others });
  folder.remove();
  const contracts: ContractAddresses = { ...others, escrow: addresses.escrow ?? '0x' };
  const settings = { operatorKey, contracts };
  const payers: Payer[] = [];
  for (let made = 0; made < LANE_RUNS; made += 1) payers.push(createPayer());
  await Promise.all(payers.map(({ address: to }) => give(chain, to)));
  await chain.mine(CONFIRMATIONS);
  const chance = { next: seeded(0) };
  const node = await faultyNode(rpcUrl, () => chance.next());
  const truth = await chain.open({ confirmations: 1, settings });
  const fromBlock = Number(await nodeRpc<Hex>(rpcUrl, 'eth_blockNumber'));
  const lane = new Lane({ chain, node, truth, chance, settings, payers, fromBlock });
  await lane.begin();
  return lane;
}

/** Puts money into the token's first slot, the balances: a hundred transactions take too long. */
async function give({ rpcUrl, token }: SecondChain, to: Hex): Promise<void> {
  const cell = keccak256(encodeAbiParameters(SLOT, [to, 0n]));
  const amount = toHex(BigInt(JOB), { size: 32 });
  await nodeRpc(rpcUrl, 'anvil_setStorageAt', token, cell, amount);
}

/** One server. Each seed gives one order of faults and kills. */
class Lane {
  readonly node: FaultyNode;
  readonly #scene: Scene;
  readonly #folder = tempDir();
  /** What was told of money, as the public feed tells it. */
  readonly #told: Claim[] = [];
  #agents = 0;
  #own: NodePaymentChain | undefined;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.node = scene.node;
  }

  async run(seed: number): Promise<RunReport> {
    this.#scene.chance.next = seeded(seed);
    const kind = KINDS[seed % KINDS.length] as Kind;
    const faults = await this.#runs[kind]();
    return { seed, kind, faults: [...faults, ...(await this.#audit())] };
  }

  /** Begins a life of the server on its one folder. */
  async begin(): Promise<void> {
    const { chain, node, settings } = this.#scene;
    this.#own = await chain.open({
      ...{ via: node.begin(), dataDir: this.#folder.path, confirmations: CONFIRMATIONS, settings },
      ...{ patienceMs: 250, gasBudgetWei: 10n ** 21n },
    });
  }

  async close(): Promise<void> {
    this.node.setRate(0);
    await this.#own?.close().catch(() => undefined);
    await this.#scene.truth.close();
    await this.node.close();
    this.#folder.remove();
  }

  /** Tries until there is an end, with faults at first, and kills in between. */
  async #play(step: Step): Promise<Outcome> {
    this.node.setRate(RATE);
    let last: Outcome = LOST;
    for (let tries = 0; tries < TRIES_CALM_MAX; tries += 1) {
      if (tries === TRIES_MAX) this.node.setRate(0);
      const isKilled = tries < TRIES_MAX && this.#scene.chance.next() < KILLS;
      last = isKilled ? await this.#killed(step) : await this.#tried(step);
      if (last.state !== 'unknown' && last.state !== 'unspent') break;
      await sleep(this.#scene.chance.next() * 20);
    }
    this.node.setRate(0);
    return last;
  }

  async #tried(step: Step): Promise<Outcome> {
    const own = this.#own;
    return own === undefined ? LOST : step(own).catch(() => LOST);
  }

  /** A life that is over never hears what became of its call. */
  async #killed(step: Step): Promise<Outcome> {
    const dead = this.#own;
    const trying = this.#tried(step);
    await sleep(this.#scene.chance.next() * 40);
    this.node.setRate(0);
    await this.begin();
    void trying.then(() => dead?.close()).catch(() => undefined);
    this.node.setRate(RATE);
    return LOST;
  }

  readonly #runs: Readonly<Record<Kind, () => Promise<readonly string[]>>> = {
    settlement: async () => {
      const payer = this.#payer();
      const settled = await this.#settle(payer);
      return [...settled, ...(await this.#holds(payer.address, '9750000'))];
    },
    escrow: async () => {
      const job = await this.#fundJob();
      if (job.faults.length > 0) return job.faults;
      const moved = await this.#move(job, job.buyer, 'release');
      return [...moved, ...(await this.#holds(job.provider.address, '8000000'))];
    },
    give_back: async () => {
      const job = await this.#fundJob();
      if (job.faults.length > 0) return job.faults;
      const moved = await this.#move(job, job.provider, 'giveBack');
      return [...moved, ...(await this.#holds(job.buyer.address, JOB))];
    },
    refund: async () => {
      const payer = this.#payer();
      const settled = await this.#settle(payer);
      if (settled.length > 0) return settled;
      const order = { to: payer.address, amount: PRICE, token: `${payer.address}:refund` };
      const outcome = await this.#play((life) => life.transfer(order));
      this.#tell('settlement.refunded', outcome, { amount: PRICE });
      return [...isSettled(outcome), ...(await this.#holds(payer.address, JOB))];
    },
    passport: async () => {
      const order = { token: `passport ${createPayer().address}`, uri: 'data:,', metadata: {} };
      const outcome = await this.#play((life) => life.trust.identity.register(order));
      this.#agents += 1;
      const has = await this.#countAgents();
      const isOnce = has === this.#agents;
      const wrong = isOnce ? [] : [`${has} agents, not ${this.#agents}`];
      return [...isDone('register', outcome), ...wrong];
    },
    anchor: async () => {
      const { anchor } = this.#scene.truth.trust;
      const size = ((await anchor.latest())?.size ?? 0) + 1;
      const root = `0x${size.toString(16).padStart(64, '0')}`;
      const outcome = await this.#play((life) => life.trust.anchor.anchor(size, root));
      const isThere = (await anchor.latest())?.root === root;
      return [...isDone('anchor', outcome), ...(isThere ? [] : ['not anchored'])];
    },
  };

  #payer(): Payer {
    return this.#scene.payers.pop() ?? createPayer();
  }

  async #settle(payer: Payer): Promise<readonly string[]> {
    const { truth, chance } = this.#scene;
    const authorization = { validBefore: FAR };
    const payload = await payer.pay(requirementsOf(truth.facts), { authorization });
    const outcome = await this.#play(async (life) => {
      const isLooked = chance.next() < 0.3;
      const found = isLooked ? await life.lookUp(payload) : UNSPENT;
      return found.state === 'unspent' ? life.settle(payload) : found;
    });
    this.#tell('settlement.settled', outcome, { amount: PRICE });
    return isSettled(outcome);
  }

  async #fundJob(): Promise<FundedJob> {
    const { truth, chance } = this.#scene;
    const { facts, trust } = truth;
    const [buyer, provider] = [createParty(this.#payer().privateKey), createParty()];
    const nowS = await trust.nowS();
    const terms = termsOf({ buyer, provider }, nowS, { amount: JOB, fulfilByS: nowS + 86_400 });
    const form = chance.next() < 0.5 ? 'exact' : 'terms';
    const overrides = { validBefore: FAR };
    const order = await fundingOf({ facts, trust, buyer, terms, nowS, form, overrides });
    const outcome = await this.#play((life) => life.trust.escrow.fund(order));
    this.#tell('job.escrowed', outcome, { amount: JOB });
    const faults = [...isDone('fund', outcome), ...(await this.#holds(buyer.address, '0'))];
    return { buyer, provider, key: trust.escrow.keyOf(terms), faults };
  }

  async #move({ key }: FundedJob, by: Party, move: 'release' | 'giveBack') {
    const signature = await signMove(this.#scene.truth.trust, key, by, { move });
    const outcome = await this.#play((life) => life.trust.escrow.move(key, { move, signature }));
    if (move === 'giveBack') this.#tell('job.refunded', outcome, { amount: JOB });
    else this.#tell('job.released', outcome, { amount: '8000000', fee: '2000000' });
    return isDone(move, outcome);
  }

  /** Tells an end as the public feed does, in the transaction that the chain was said to have. */
  #tell(
    type: Claim['type'],
    outcome: Outcome,
    { amount, fee = '0' }: { readonly amount: string; readonly fee?: string },
  ): void {
    if (outcome.state !== 'settled' && outcome.state !== 'done') return;
    const seq = this.#told.length;
    const price = BigInt(amount) + BigInt(fee);
    const { transaction } = outcome;
    this.#told.push({
      ...{ type, ref: `${seq}`, seq, transaction, isEscrow: type.startsWith('job.') },
      ...{ amount: BigInt(amount), fee: BigInt(fee), price },
    });
  }

  /** Compares what was told with all that the chain has of this server, as an auditor does. */
  async #audit(): Promise<readonly string[]> {
    const { chain, settings, fromBlock } = this.#scene;
    const node = openNode(chain.rpcUrl);
    let found: readonly string[] = [];
    for (let looks = 0; looks < AUDITS_MAX; looks += 1) {
      try {
        const accounts = await accountsOf(node, settings.contracts?.escrow ?? '0x');
        const books = await readChainBooks(node, accounts, fromBlock);
        const { differences } = balanceBooks(books, this.#told);
        if (differences.length === 0) return [];
        found = differences.map((each) => JSON.stringify(each));
      } catch (thrown) {
        found = [`the books cannot be read: ${String(thrown)}`];
      }
      await sleep(BLOCK_MS * 10);
    }
    return found;
  }

  async #countAgents(looks = 1): Promise<number> {
    const { chain, truth, settings } = this.#scene;
    const view = { address: settings.contracts?.identity ?? '0x', abi: OWNED } as const;
    const args = [truth.trust.operator as Hex] as const;
    try {
      const asked = { ...view, functionName: 'balanceOf', args } as const;
      return Number(await openNode(chain.rpcUrl).readContract(asked));
    } catch (thrown) {
      // The node's newest block may be replaced while it answers.
      if (looks >= AUDITS_MAX) throw thrown;
      return this.#countAgents(looks + 1);
    }
  }

  async #holds(address: string, amount: string): Promise<readonly string[]> {
    const balance = await this.#scene.truth.balance(address);
    return balance === amount ? [] : [`${address} has ${balance}, not ${amount}`];
  }
}

type Step = (own: NodePaymentChain) => Promise<Outcome>;

interface FundedJob {
  readonly buyer: Party;
  readonly provider: Party;
  readonly key: string;
  readonly faults: readonly string[];
}

const SLOT = [{ type: 'address' }, { type: 'uint256' }] as const;
const OWNED = parseAbi(['function balanceOf(address owner) view returns (uint256)']);
const UNSPENT = { state: 'unspent' } as const;
const LOST = { state: 'unknown', transaction: null, detail: 'no answer' } as const;

/** Seconds of a time that no run comes to. */
const FAR = '4000000000';

function isSettled(outcome: Outcome): readonly string[] {
  return outcome.state === 'settled' ? [] : [JSON.stringify(outcome)];
}

function isDone(what: string, outcome: Outcome): readonly string[] {
  return outcome.state === 'done' ? [] : [`${what}: ${JSON.stringify(outcome)}`];
}
