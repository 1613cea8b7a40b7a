import { setTimeout as sleep } from 'node:timers/promises';
import type { TransferOutcome } from '../../src/domain/ports/payment-chain.ts';
import type { CallOutcome } from '../../src/domain/ports/trust-chain.ts';
import type { NodePaymentChain } from '../../src/providers/chain/payment-chain.ts';
import { faultyNode } from './faulty-node.ts';
import { createPayer, requirementsOf } from './payer.ts';
import type { SecondChain } from './second-chain.ts';
import { seeded } from './seeded.ts';
import { tempDir } from './temp-dir.ts';
import { createParty, fundingOf, signMove, termsOf } from './trust-parties.ts';

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

/** Plays runs on one chain, one after the other; each seed gives one order of faults and kills. */
export async function moneyUnderFaults(chain: SecondChain, lane: number) {
  let random = seeded(lane);
  const node = await faultyNode(chain.rpcUrl, () => random());
  const truth = await chain.open({ confirmations: 1, gasBudgetWei: 10n ** 21n });
  const folder = tempDir();
  const open = () =>
    chain.open({
      ...{ via: node.begin(), dataDir: folder.path, confirmations: 1, patienceMs: 150 },
      gasBudgetWei: 10n ** 21n,
    });
  let own = await open();
  // A chain of others makes blocks whoever sends; what waited behind a gap needs the next one.
  const mining = setInterval(() => void chain.mine(1).catch(() => undefined), BLOCK_MS);

  /** Tries until there is an end, with faults at first, and kills in between. */
  async function play(step: (own: NodePaymentChain) => Promise<Outcome>): Promise<Outcome> {
    node.setRate(RATE);
    let last: Outcome = lost();
    for (let tries = 0; tries < TRIES_CALM_MAX; tries += 1) {
      if (tries === TRIES_MAX) node.setRate(0);
      const isKilled = tries < TRIES_MAX && random() < 0.2;
      const trying = step(own).catch((): Outcome => lost());
      // A life that is over never hears what became of its call.
      const outcome = isKilled ? await Promise.race([trying, sleep(random() * 40, lost())]) : await trying;
      if (isKilled) {
        node.setRate(0);
        const dead = own;
        own = await open();
        void trying.then(() => dead.close()).catch(() => undefined);
        node.setRate(RATE);
        continue;
      }
      if (outcome.state !== 'unknown' && outcome.state !== 'unspent') return outcome;
      last = outcome;
      await sleep(random() * 20);
    }
    return last;
  }

  const runs: Readonly<Record<Kind, () => Promise<readonly string[]>>> = {
    settlement: async () => {
      const payer = createPayer();
      await chain.mint(payer.address, '1000000');
      const payload = await payer.pay(requirementsOf(truth.facts), {
        authorization: { validBefore: FAR },
      });
      const outcome = await play(async (life) => {
        const found = random() < 0.3 ? await life.lookUp(payload) : { state: 'unspent' as const };
        return found.state === 'unspent' ? life.settle(payload) : found;
      });
      const left = await truth.balance(payer.address);
      return [
        ...(outcome.state === 'settled' ? [] : [`settlement: ${JSON.stringify(outcome)}`]),
        ...(left === '750000' ? [] : [`the payer has ${left}`]),
      ];
    },
    escrow: async () => {
      const job = await fundJob();
      if (job.faults.length > 0) return job.faults;
      const { buyer, provider, key } = job;
      const word = { move: 'release' } as const;
      const signature = await signMove(truth.trust, key, buyer, word);
      const outcome = await play((life) => life.trust.escrow.move(key, { ...word, signature }));
      const paid = await truth.balance(provider.address);
      return [...ended('release', outcome), ...(paid === '8000000' ? [] : [`paid ${paid}`])];
    },
    give_back: async () => {
      const job = await fundJob();
      if (job.faults.length > 0) return job.faults;
      const { buyer, provider, key } = job;
      const word = { move: 'giveBack' } as const;
      const signature = await signMove(truth.trust, key, provider, word);
      const outcome = await play((life) => life.trust.escrow.move(key, { ...word, signature }));
      const back = await truth.balance(buyer.address);
      return [...ended('give back', outcome), ...(back === JOB ? [] : [`given back ${back}`])];
    },
    refund: async () => {
      await chain.mint(truth.facts.treasury, PRICE);
      const to = createPayer().address;
      const order = { to, amount: PRICE, token: `${to}:refund` };
      const outcome = await play((life) => life.transfer(order));
      const got = await truth.balance(to);
      return [
        ...(outcome.state === 'settled' ? [] : [`refund: ${JSON.stringify(outcome)}`]),
        ...(got === PRICE ? [] : [`refunded ${got}`]),
      ];
    },
    passport: async () => {
      const order = { token: `passport ${createPayer().address}`, uri: 'data:,', metadata: {} };
      const outcome = await play((life) => life.trust.identity.register(order));
      return ended('register', outcome);
    },
    anchor: async () => {
      const size = ((await truth.trust.anchor.latest())?.size ?? 0) + 1 + Math.floor(random() * 9);
      const root = `0x${size.toString(16).padStart(64, '0')}`;
      const outcome = await play((life) => life.trust.anchor.anchor(size, root));
      const last = await truth.trust.anchor.latest();
      return [...ended('anchor', outcome), ...(last?.root === root ? [] : ['not anchored'])];
    },
  };

  async function fundJob() {
    const [buyer, provider] = [createParty(), createParty()];
    await chain.mint(buyer.address, JOB);
    const nowS = await truth.trust.nowS();
    const terms = termsOf({ buyer, provider }, nowS, { amount: JOB });
    const order = await fundingOf({
      ...{ facts: truth.facts, trust: truth.trust, buyer, terms, nowS },
      form: random() < 0.5 ? 'exact' : 'terms',
      overrides: { validBefore: FAR },
    });
    const key = truth.trust.escrow.keyOf(terms);
    const outcome = await play((life) => life.trust.escrow.fund(order));
    const left = await truth.balance(buyer.address);
    const faults = [...ended('fund', outcome), ...(left === '0' ? [] : [`the buyer has ${left}`])];
    return { buyer, provider, key, faults };
  }

  return {
    node,
    run: async (seed: number): Promise<RunReport> => {
      random = seeded(seed);
      const kind = KINDS[seed % KINDS.length] as Kind;
      return { kind, faults: await runs[kind]() };
    },
    close: async () => {
      clearInterval(mining);
      node.setRate(0);
      await own.close().catch(() => undefined);
      await truth.close();
      await node.close();
      folder.remove();
    },
  };
}

/** Seconds of a time that no run comes to. */
const FAR = '4000000000';

function lost(): Outcome {
  return { state: 'unknown', transaction: null, detail: 'no answer' };
}

function ended(what: string, outcome: Outcome): readonly string[] {
  return outcome.state === 'done' ? [] : [`${what}: ${JSON.stringify(outcome)}`];
}
