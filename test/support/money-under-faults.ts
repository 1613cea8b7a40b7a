import { setTimeout as sleep } from 'node:timers/promises';
import type { TransferOutcome } from '../../src/domain/ports/payment-chain.ts';
import type { CallOutcome } from '../../src/domain/ports/trust-chain.ts';
import type { NodePaymentChain } from '../../src/providers/chain/payment-chain.ts';
import { type FaultyNode, faultyNode } from './faulty-node.ts';
import { createPayer, requirementsOf } from './payer.ts';
import type { SecondChain } from './second-chain.ts';
import { seeded } from './seeded.ts';
import { tempDir } from './temp-dir.ts';
import { createParty, fundingOf, type Party, signMove, termsOf } from './trust-parties.ts';

/** What a run came to. `faults` is empty when the books agree. */
export interface RunReport {
  readonly kind: Kind;
  readonly faults: readonly string[];
}

/** The transactions that an operator sends. */
export const KINDS = ['settlement', 'escrow', 'give_back', 'refund', 'passport', 'anchor'] as const;
export type Kind = (typeof KINDS)[number];

const PRICE = '250000';
const JOB = '10000000';
/** Share of the calls that meet a fault while a run is played. */
const RATE = 0.25;
const BLOCK_MS = 200;
/** Tries with faults, after which the node is well again. */
const TRIES_MAX = 6;
/** Tries in all, after which a run that has not ended counts as hanging. */
const TRIES_CALM_MAX = 60;

type Outcome = TransferOutcome | CallOutcome<unknown> | { readonly state: 'unspent' };

/** Opens a player of runs on one chain, one after the other, with a node that errs. */
export async function moneyUnderFaults(chain: SecondChain): Promise<MoneyUnderFaults> {
  const chance = { next: seeded(0) };
  const node = await faultyNode(chain.rpcUrl, () => chance.next());
  const truth = await chain.open({ confirmations: 1, gasBudgetWei: 10n ** 21n });
  const player = new MoneyUnderFaults({ chain, node, truth, chance });
  await player.begin();
  return player;
}

interface Scene {
  readonly chain: SecondChain;
  readonly node: FaultyNode;
  /** The chain as it is, without a relay. */
  readonly truth: NodePaymentChain;
  readonly chance: { next: () => number };
}

/** Each seed gives one order of faults and kills. */
class MoneyUnderFaults {
  readonly node: FaultyNode;
  readonly #scene: Scene;
  readonly #folder = tempDir();
  readonly #mining: NodeJS.Timeout;
  #own: NodePaymentChain | undefined;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.node = scene.node;
    // A chain of others makes blocks whoever sends; what waited behind a gap needs the next one.
    const mine = () => void scene.chain.mine(1).catch(() => undefined);
    this.#mining = setInterval(mine, BLOCK_MS);
  }

  async run(seed: number): Promise<RunReport> {
    this.#scene.chance.next = seeded(seed);
    const kind = KINDS[seed % KINDS.length] as Kind;
    return { kind, faults: await this.#runs[kind]() };
  }

  /** Begins a life of the server on its one folder. */
  async begin(): Promise<void> {
    const { chain, node } = this.#scene;
    this.#own = await chain.open({
      ...{ via: node.begin(), dataDir: this.#folder.path, confirmations: 1, patienceMs: 150 },
      gasBudgetWei: 10n ** 21n,
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#mining);
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
      if (last.state !== 'unknown' && last.state !== 'unspent') return last;
      await sleep(this.#scene.chance.next() * 20);
    }
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
      const { chain, truth, chance } = this.#scene;
      const payer = createPayer();
      await chain.mint(payer.address, '1000000');
      const authorization = { validBefore: FAR };
      const payload = await payer.pay(requirementsOf(truth.facts), { authorization });
      const outcome = await this.#play(async (life) => {
        const isLooked = chance.next() < 0.3;
        const found = isLooked ? await life.lookUp(payload) : UNSPENT;
        return found.state === 'unspent' ? life.settle(payload) : found;
      });
      return [...isSettled(outcome), ...(await this.#holds(payer.address, '750000'))];
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
      const { chain, truth } = this.#scene;
      await chain.mint(truth.facts.treasury, PRICE);
      const to = createPayer().address;
      const order = { to, amount: PRICE, token: `${to}:refund` };
      const outcome = await this.#play((life) => life.transfer(order));
      return [...isSettled(outcome), ...(await this.#holds(to, PRICE))];
    },
    passport: async () => {
      const order = { token: `passport ${createPayer().address}`, uri: 'data:,', metadata: {} };
      return isDone('register', await this.#play((life) => life.trust.identity.register(order)));
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

  async #fundJob(): Promise<FundedJob> {
    const { chain, truth, chance } = this.#scene;
    const { facts, trust } = truth;
    const [buyer, provider] = [createParty(), createParty()];
    await chain.mint(buyer.address, JOB);
    const nowS = await trust.nowS();
    const terms = termsOf({ buyer, provider }, nowS, { amount: JOB, fulfilByS: nowS + 86_400 });
    const form = chance.next() < 0.5 ? 'exact' : 'terms';
    const overrides = { validBefore: FAR };
    const order = await fundingOf({ facts, trust, buyer, terms, nowS, form, overrides });
    const outcome = await this.#play((life) => life.trust.escrow.fund(order));
    const faults = [...isDone('fund', outcome), ...(await this.#holds(buyer.address, '0'))];
    return { buyer, provider, key: trust.escrow.keyOf(terms), faults };
  }

  async #move({ key }: FundedJob, by: Party, move: 'release' | 'giveBack') {
    const signature = await signMove(this.#scene.truth.trust, key, by, { move });
    const outcome = await this.#play((life) => life.trust.escrow.move(key, { move, signature }));
    return isDone(move, outcome);
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

/** How often a life ends during a try. */
const KILLS = 0.2;
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
