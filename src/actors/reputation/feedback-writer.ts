import { toAppError } from '../../domain/common/error.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { parseEventData } from '../../domain/event/catalog.ts';
import type { PublicEvent } from '../../domain/event/event-log.ts';
import type { PassportView } from '../../domain/passport/passport.ts';
import {
  buildFeedback,
  type FeedbackRow,
  type FeedbackStore,
  type JudgedJob,
  judgeJob,
} from '../../domain/reputation/feedback.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import type { Services } from '../common/services.ts';

/** Waits before feedback is tried again, in milliseconds. */
export const FEEDBACK_RETRY_MS = { chain: 30 * SECOND_MS, budget: 10 * MINUTE_MS } as const;
/** Newest events of a wallet that are read when its agent becomes its own. */
const EARLIER_EVENTS_MAX = 1_000;
const BATCH_EVENTS = 500;

type Ports = Pick<Services, 'chain' | 'events' | 'notice' | 'passports' | 'trust'> & {
  /** Public base URL of the server. */
  readonly baseUrl: string;
  readonly store: FeedbackStore;
  /** Real time, because retries wait for the chain. */
  readonly clock: RuntimeClock;
};

/**
 * Writes feedback about settled jobs to the reputation registry (ERC-8004), from the operator's
 * account. It follows the public feed behind a stored cursor, so no payment ever waits for it. A
 * file is on disk before its transaction is sent, and the chain's journal sends each key once, so
 * neither a crash nor a lost answer loses or repeats feedback.
 *
 * The standard refuses feedback from an agent's owner. An agent in the operator's custody therefore
 * gets its feedback, also for earlier jobs, once its owner has claimed it.
 */
export class FeedbackWriter {
  readonly #parts: Ports;
  readonly #stopWatch: () => void;
  #cursor: number;
  #run: Promise<void> | undefined;
  #cancelRetry: (() => void) | undefined;
  #isStopped = false;

  constructor(parts: Ports) {
    this.#parts = parts;
    this.#cursor = parts.store.position;
    this.#stopWatch = parts.events.watch(() => this.#wake());
    this.#wake();
  }

  /** Stops after the current transaction. The rest is written after the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopWatch();
    this.#cancelRetry?.();
    await this.#run;
  }

  #wake(): void {
    const isWaiting = this.#run !== undefined || this.#cancelRetry !== undefined;
    if (this.#isStopped || isWaiting || this.#cursor >= this.#parts.events.size) return;
    this.#run = this.#writeAll()
      .catch((thrown: unknown) => this.#retryLater('chain', toAppError(thrown).message))
      .finally(() => {
        this.#run = undefined;
        this.#wake();
      });
  }

  async #writeAll(): Promise<void> {
    const { events, store } = this.#parts;
    while (this.#cursor < events.size) {
      for (const event of events.read(this.#cursor, BATCH_EVENTS)) {
        if (this.#isStopped || !(await this.#follow(event))) return;
        this.#cursor = event.seq + 1;
      }
      await store.keepPosition(this.#cursor);
    }
  }

  /** Returns whether everything that follows from an event is on the chain. */
  async #follow(event: PublicEvent): Promise<boolean> {
    const claimed = parseEventData(event, 'passport.claimed');
    const judged = claimed === undefined ? judgeJob(event) : undefined;
    const wallet = claimed?.owner ?? judged?.provider;
    if (wallet === undefined) return true;
    const agent = await this.#parts.passports.find(wallet);
    if (agent?.custody !== 'self') return true;
    if (judged !== undefined) return this.#write(judged, agent);
    const earlier = this.#parts.events.readLatestBySubject(wallet, EARLIER_EVENTS_MAX);
    for (const job of earlier.toReversed().flatMap((each) => judgeJob(each) ?? [])) {
      if (job.provider === wallet && !(await this.#write(job, agent))) return false;
    }
    return true;
  }

  async #write(judged: JudgedJob, agent: PassportView): Promise<boolean> {
    const { notice, store, trust } = this.#parts;
    const { job, outcome } = judged;
    const row = store.get(job, outcome) ?? this.#build(judged, agent);
    if (row.transaction !== null) return true;
    await store.put(job, outcome, row);
    const sent = await trust.reputation.giveFeedback(row.order);
    switch (sent.state) {
      case 'done':
        await store.put(job, outcome, { ...row, transaction: sent.transaction });
        return true;
      case 'unknown':
        this.#retryLater('chain', sent.detail);
        return false;
      case 'refused':
        if (sent.fault.code === 'GAS_BUDGET') {
          this.#retryLater('budget', sent.fault.message);
          return false;
        }
        notice(`feedback for ${job}: ${sent.fault.message}`);
        return true;
    }
  }

  #build(judged: JudgedJob, { erc8004 }: PassportView): FeedbackRow {
    const { baseUrl, chain, trust } = this.#parts;
    const { chainId, treasury } = chain.facts;
    const { escrow } = trust.contracts;
    return buildFeedback(judged, {
      agentId: erc8004.id,
      agentRegistry: erc8004.agent_registry,
      chainId,
      client: trust.operator,
      payer: judged.funding === 'escrow' && escrow !== null ? escrow : treasury,
      baseUrl,
    });
  }

  #retryLater(why: keyof typeof FEEDBACK_RETRY_MS, detail: string): void {
    const { clock, notice } = this.#parts;
    if (this.#isStopped) return;
    notice(`feedback: ${detail}`);
    this.#cancelRetry = clock.at(clock.now() + FEEDBACK_RETRY_MS[why], () => {
      this.#cancelRetry = undefined;
      this.#wake();
    });
  }
}
