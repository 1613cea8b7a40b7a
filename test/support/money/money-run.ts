import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditBooks } from '../../../src/auditor/audit-books.ts';
import type { CallOutcome } from '../../../src/domain/chain/trust-chain.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import type { TransferOutcome } from '../../../src/domain/payment/payment-chain.ts';
import type { NodePaymentChain } from '../../../src/providers/payment/payment-chain.ts';
import { tempDir } from '../temp-dir.ts';
import type { Death } from './faulty-node.ts';
import type { Reply } from './ipc-node.ts';
import { FEED_URL } from './money-feed.ts';
import { BLOCK_MS, CONFIRMATIONS, type MoneyWorld } from './money-world.ts';
import { closeFilesIn } from './quick-files.ts';
import { openStrangers, type Strangers } from './strangers.ts';

/** What became of something that a server was asked to do. */
export type Outcome = TransferOutcome | CallOutcome<unknown> | { readonly state: 'unspent' };

/** What a server is asked to do, as often as it takes. */
export type Step = (own: NodePaymentChain) => Promise<Outcome>;

/** Share of the requests that meet a fault while a run is played, at the most. */
const RATE_MAX = 0.3;
/** Share of the lives that begin at a node which errs: most of their requests are the same. */
const ROUGH_BEGINNINGS = 0.1;
/** How often a life ends during a try. */
const KILLS = 0.35;
/** A life ends at one of its next requests, of so many. */
const KILL_REQUESTS = 20;
/** How often a server that has done something is asked for it again in its next life. */
const REPEATS = 0.15;
/** Tries with faults, after which the node is well again. */
const TRIES_MAX = 6;
/** Tries in all, after which a run that has not ended counts as hanging. */
const TRIES_CALM_MAX = 60;
/** Longest pause between two tries, in milliseconds. */
const PAUSE_MS = 2_000;
/** How long a receipt is waited for, and the longest pause between two looks for it. */
const PATIENCE = { patienceMs: 12_000, everyMs: 2_000 };
/** Where files are in memory, if there is such a place. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : undefined;
const GAS_WEI = 10n ** 21n;
const LOST = { state: 'unknown', transaction: null, detail: 'no answer' } as const;

/** One server on its folder, in as many lives as it takes. */
export class MoneyRun {
  readonly world: MoneyWorld;
  readonly strangers: Strangers;
  /** What went wrong. */
  readonly faults: string[] = [];
  readonly deaths: Death[] = [];
  readonly #folder = tempDir(MEMORY);
  readonly #rate: number;
  #own: NodePaymentChain | undefined;

  constructor(world: MoneyWorld) {
    this.world = world;
    this.strangers = openStrangers(world);
    this.#rate = RATE_MAX * world.chance.next();
  }

  random(): number {
    return this.world.chance.next();
  }

  one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.random() * items.length)] as Item;
  }

  /** Lets others make blocks, and meddle. */
  async begin(): Promise<void> {
    const { node, time } = this.world;
    time.after(BLOCK_MS, () => void node.call('evm_mine'), { isRepeated: true });
    await this.strangers.meddle();
  }

  /** Tries until there is an end. Some are asked for again in the next life, and say the same. */
  async play(step: Step): Promise<Outcome> {
    const outcome = await this.playOnce(step);
    if (this.random() > REPEATS || outcome.state === 'refused') return outcome;
    await this.#own?.close();
    this.#own = undefined;
    const again = await this.playOnce(step);
    const [before, after] = [outcome, again].map((each) => JSON.stringify(each));
    this.expect(before === after, `${before}, and then ${after}`);
    return outcome;
  }

  /** Asks a server until it answers, with faults. */
  async ask<Answer>(question: (own: NodePaymentChain) => Promise<Answer>): Promise<Answer> {
    const answers: Answer[] = [];
    await this.#tryOften(async (own) => {
      answers.push(await question(own));
      return { state: 'done', transaction: '', block: 0, result: null };
    }, 0);
    if (answers[0] === undefined) throw new Error('no answer');
    return answers[0];
  }

  /** Lets days pass on the chain. */
  async pass(seconds: number): Promise<void> {
    const { chain, node, time } = this.world;
    await node.call('evm_setNextBlockTimestamp', (await chain.nowS()) + seconds);
    await node.call('anvil_mine', `0x${(CONFIRMATIONS + 1).toString(16)}`);
    time.skip(seconds * 1_000);
  }

  /** Tries until there is an end, with faults at first, and kills in between. */
  playOnce(step: Step): Promise<Outcome> {
    return this.#tryOften(step, KILLS);
  }

  async #tryOften(step: Step, kills: number): Promise<Outcome> {
    const { faulty, time } = this.world;
    let last: Outcome = LOST;
    for (let tries = 0; tries < TRIES_CALM_MAX; tries += 1) {
      const isCalm = tries >= TRIES_MAX;
      faulty.rate = isCalm ? 0 : this.#rate;
      last = await this.#tryOnce(step, !isCalm && this.random() < kills);
      if (last.state !== 'unknown' && last.state !== 'unspent') break;
      await time.rest(this.random() * PAUSE_MS);
    }
    faulty.rate = 0;
    return last;
  }

  /** A life that is over never hears what became of its call. */
  async #tryOnce(step: Step, isKilled: boolean): Promise<Outcome> {
    if (!isKilled) return this.#try(step);
    const { faulty } = this.world;
    const died = faulty.endAt(1 + Math.floor(this.random() * KILL_REQUESTS));
    const outcome = await Promise.race([this.#try(step), died]);
    if ('state' in outcome) {
      faulty.spare();
      return outcome;
    }
    this.deaths.push(outcome);
    this.#own = undefined;
    return LOST;
  }

  async #try(step: Step): Promise<Outcome> {
    try {
      this.#own ??= await this.#beginLife();
      return await step(this.#own);
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.code !== 'DATA_DAMAGED') return LOST;
      throw thrown;
    }
  }

  /** Begins a life of the server on its one folder. */
  async #beginLife(): Promise<NodePaymentChain> {
    const { chain, faulty, time } = this.world;
    const { rate } = faulty;
    if (this.random() > ROUGH_BEGINNINGS) faulty.rate = 0;
    try {
      return await chain.open({
        via: faulty.beginLife(),
        dataDir: this.#folder.path,
        now: time.now,
        ...PATIENCE,
        confirmations: CONFIRMATIONS,
        gasBudgetWei: GAS_WEI,
      });
    } finally {
      faulty.rate = rate;
    }
  }

  /** Compares what was told with all that the chain has of this server, as an auditor does. */
  async audit(): Promise<void> {
    const { chain, node, firstBlock } = this.world;
    // What is under way still, and should not be, comes into a block.
    await node.call('anvil_mine', `0x${(CONFIRMATIONS + 1).toString(16)}`);
    const { escrow } = chain.contracts;
    const books = { rpcUrl: chain.rpcUrl, eventsUrl: FEED_URL, fromBlock: firstBlock, waitMs: 0 };
    const isNamed = escrow !== undefined && this.random() < 0.5;
    const audited = await auditBooks(isNamed ? { ...books, escrow } : books);
    this.faults.push(...audited.differences.map((each) => JSON.stringify(each)));
    const { paidOut, refunded, kept, held, openJobs, owed, unaccounted } = audited;
    this.expect(audited.isBalanced, 'the books do not balance');
    this.expect(paidOut + refunded + kept + held === audited.in, 'in is not the sum');
    this.expect(openJobs + owed + unaccounted === held, 'held is not the sum');
    await this.#expectOnce();
  }

  /** What one name has done is not done again, whatever the contracts would take. */
  async #expectOnce(): Promise<void> {
    const file = join(this.#folder.path, `chain-${this.world.truth.facts.chainId}`, 'raw.jsonl');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
    const rows = lines.map((line) => JSON.parse(line) as { hash: string; key?: string });
    const done = new Map<string, number>();
    const sent = [...new Map(rows.map((row) => [row.hash, row])).values()];
    const asked = sent.map(({ hash }, id) => {
      return { id, method: 'eth_getTransactionReceipt', params: [hash] };
    });
    const replies = (await this.world.node.send(asked)) as readonly Reply[];
    for (const { id, result } of sent.length === 0 ? [] : replies) {
      const { key } = sent[Number(id)] ?? {};
      const { status } = (result ?? {}) as { readonly status?: string };
      if (key !== undefined && status === '0x1') done.set(key, (done.get(key) ?? 0) + 1);
    }
    for (const [key, times] of done) {
      // A description that a node does not have yet is set again, which changes nothing.
      this.expect(times === 1 || key.startsWith('uri:'), `${key} was done ${times} times`);
    }
  }

  expect(holds: boolean, what: string): void {
    if (!holds) this.faults.push(what);
  }

  async expectHolds(address: string, amount: string): Promise<void> {
    const balance = await this.world.truth.balance(address);
    this.expect(balance === amount, `${address} has ${balance}, not ${amount}`);
  }

  expectState(what: string, outcome: Outcome, state: Outcome['state']): boolean {
    this.expect(outcome.state === state, `${what}: ${JSON.stringify(outcome)}`);
    return outcome.state === state;
  }

  async end(): Promise<void> {
    await this.#own?.close().catch(() => undefined);
    closeFilesIn(this.#folder.path);
    this.#folder.remove();
  }
}

/** The transaction of an end. */
export function transactionOf(outcome: Outcome): string {
  return 'transaction' in outcome ? String(outcome.transaction) : '';
}

/** Tells an end as the public feed does, in the transaction that the chain was said to have. */
export function tellEnd(
  { world }: MoneyRun,
  type: string,
  outcome: Outcome,
  data: Readonly<Record<string, string | number | boolean | null>>,
): void {
  const { network } = world.truth.facts;
  const place = type.startsWith('settlement') ? { network, tool: 'test' } : {};
  world.feed.tell(type, { ...place, ...data, transaction: transactionOf(outcome) });
}
