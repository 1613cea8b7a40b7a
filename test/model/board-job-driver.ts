import { expect } from 'vitest';
import type { JobView, RequestView } from '../../src/domain/escrow/work.ts';
import type { PaymentRequired } from '../../src/domain/payment/payment.ts';
import type { JobInput } from '../../src/machines/escrow/job-context.ts';
import type { EffectResult, Ev } from '../../src/runtime/engine/types.ts';
import type { Driver, DueTimer, EndedEffect, Observed } from '../../src/testing/driver.ts';
import type { Standing, TestPath, TestStep } from '../../src/testing/path.ts';
import { BoardCalls } from './board-calls.ts';
import { checkEnd, checkPage } from './board-checks.ts';
import type { BoardServer, ControlState, Letter } from './board-server.ts';
import { BoardSides, REASON, TEXT } from './board-sides.ts';
import { type FactName, jobIn, untoldIn } from './board-truth.ts';
import { stopNode } from './stop-node.ts';

/** Drives one job of the board of a real server, over HTTP and its chain. */
export function boardJobDriver(server: BoardServer, path: TestPath): Driver {
  const run = new BoardJobRun(server, path);
  return {
    start: (input) => run.start(input as JobInput),
    send: (event) => run.step(() => run.send(event)),
    elapse: (timer) => run.step(() => run.elapse(timer)),
    settle: (effect, result) => run.step(() => run.settle(effect, result)),
    observe: () => run.observe(),
    faults: {
      kill_restart: () => run.kill(),
      lost_reply: () => run.loseReply(),
      duplicate: (step) => run.twice(step),
      delay: () => run.loseNode(),
    },
    close: () => run.close(),
  };
}

/**
 * Between two steps the server's clock goes on a little, so that it is not behind the chain's, on
 * which each block takes a second at least.
 */
const BREATH_MS = 3_000;
/** Waits between attempts of an effect are passed in pieces of this, in milliseconds. */
const BACKOFF_MS = 500;
/** Together longer than the funding window, so that a late budget has time to be late. */
const HOURS = { open_hours: 1, fulfil_hours: 2 };
/** A work that waits for longer than this begins again and again; the server is away meanwhile. */
const AWAY_MS = 12 * 3_600_000;
/** More calls than any path makes. */
const EVERY_CALL = 10_000;
/** Where each effect speaks to the chain, as the faults of a test server name it. */
const BORDERS: Readonly<Record<string, string>> = {
  fund: 'chain.call',
  move: 'chain.call',
  release: 'chain.call',
  refund: 'chain.call',
  sweep: 'chain.call',
  collect: 'chain.settle',
  pay: 'chain.transfer',
};
/** Effects that ask before they act break there. */
const ASKING = ['release', 'refund', 'sweep'];

/** What the sides ask for: name of the move, and where it is sent. */
const ASKED: Readonly<Record<string, { readonly move: string; readonly path: string }>> = {
  'WORK.DELIVERED': { move: 'fulfil', path: 'fulfil' },
  'JOB.COMPLETED': { move: 'release', path: 'complete' },
  'JOB.GIVEN_BACK': { move: 'give_back', path: 'give-back' },
  'DISPUTE.OPENED': { move: 'dispute', path: 'dispute' },
  'DISPUTE.WITHDRAWN': { move: 'withdraw_dispute', path: 'withdraw-dispute' },
};

class BoardJobRun {
  readonly #server: BoardServer;
  readonly #path: TestPath;
  readonly #calls: BoardCalls;
  #done = 0;
  #jobId = '';
  #sides: BoardSides | undefined;

  constructor(server: BoardServer, path: TestPath) {
    this.#server = server;
    this.#path = path;
    this.#calls = new BoardCalls(server);
  }

  /** A request for one provider is posted, and its job begun. */
  async start({ funding }: JobInput): Promise<void> {
    const server = this.#server;
    await server.pass(BREATH_MS);
    const sides = new BoardSides(server, await server.side('100'), await server.side('0'));
    this.#sides = sides;
    const order = {
      capability_id: 'translation',
      task_description: 'Translate.',
      budget_usd: '25.00',
      funding,
      provider: sides.provider.wallet.address,
      ...HOURS,
    };
    const posted = await server.send(await server.letter(sides.buyer, '/a2a/requests', order));
    const { request_id: requestId } = (await posted.json()) as RequestView;
    const begin = await server.letter(sides.buyer, `/a2a/requests/${requestId}/begin`);
    const answer = await server.send(begin);
    if (funding === 'on_release') {
      this.#jobId = ((await answer.json()) as JobView).job_id;
      await this.#gate('effect', this.#jobId);
      return;
    }
    await this.#fund(begin, answer, sides);
  }

  async step(act: () => Promise<void>): Promise<void> {
    await this.#server.pass(BREATH_MS);
    await act();
    this.#done += 1;
  }

  async send(event: Ev): Promise<void> {
    if (event.type.startsWith('CHAIN.')) return this.#tell(event.type as FactName);
    if (event.type === 'DISPUTE.DECIDED') {
      const { upheld, why } = event as unknown as Readonly<Record<string, string>>;
      const path = `/a2a/jobs/${this.#jobId}/decide`;
      this.#calls.open(this.#server.operatorLetter(path, { upheld, why }), this.#before);
    } else if (event.type === 'JOB.COMPLETED' && this.#isPaidOnRelease) {
      await this.#payRelease();
    } else {
      this.#calls.open(await this.#moveLetter(event.type), this.#before);
    }
    // Before anything is looked at, the board has told the machine of it, or refused it.
    await this.#until(async () => !same((await this.#actor()).value, this.#before.value));
  }

  /** The clock reaches the timer. */
  async elapse({ timerId }: DueTimer): Promise<void> {
    const { timers, effects } = await this.#actor();
    const timer = timers.find((row) => row.timerId === timerId);
    if (timer === undefined) throw new Error(`the job has no timer ${timerId}`);
    const isLong = timer.due - (await this.#server.now()) > AWAY_MS;
    if (!isLong || effects.length === 0) {
      await this.#server.tell({ do: 'clock.set', at: timer.due });
      return;
    }
    this.#calls.cut();
    await this.#server.killAndRestart(timer.due);
    this.#calls.forget();
  }

  /** The effect, which has waited until now, goes the way that the path says. */
  async settle({ childId }: EndedEffect, result: EffectResult): Promise<void> {
    const token = (await this.#actor()).effects.find((row) => row.childId === childId)?.token;
    if (token === undefined) throw new Error(`the job has no effect ${childId}`);
    const about = `${this.#jobId}.${childId}`;
    const hasEnded = async () => (await this.#actor()).effects.every((row) => row.token !== token);
    const border = BORDERS[childId] ?? '';
    if (!result.ok) {
      const where = ASKING.includes(childId) ? 'chain.read' : border;
      await this.#until(async () => {
        if (await hasEnded()) return true;
        if (await this.#isHeld(about)) await this.#break(where, about);
        else await this.#server.pass(BACKOFF_MS);
        return false;
      });
      return;
    }
    const { state } = result.output as { readonly state: string };
    await this.#until(() => this.#isHeld(about));
    if (state === 'refused' || state === 'failed') await this.#beFirst(childId);
    if (state === 'unknown') {
      await this.#server.tell({ do: 'fault', name: 'lost_reply', where: border });
    }
    await this.#server.tell({ do: 'release', where: 'effect', about });
    await this.#until(hasEnded);
  }

  async observe(): Promise<Observed> {
    const expected = this.#before;
    await this.#server.until(async () => same((await this.#actor()).value, expected.value));
    const { value, status, context, timers, effects } = await this.#actor();
    if (same(value, expected.value)) {
      const sides = this.#mustSides;
      await checkPage({ server: this.#server, jobId: this.#jobId, sides, expected });
      await this.#calls.check(this.#jobId, expected);
    }
    const { funding, isLate, verdict } = context as ReturnType<typeof jobIn>;
    return {
      value,
      status,
      timers: timers.map(({ timerId }) => timerId),
      effects: effects.map(({ childId }) => childId),
      facets: { funding, isLate, verdict },
    };
  }

  /** SIGKILL; the callers find the next process, and send again what was not answered. */
  async kill(): Promise<void> {
    this.#calls.cut();
    await this.#server.killAndRestart();
    this.#calls.again();
  }

  /** The last call's answer is never heard; the same call is sent again. */
  async loseReply(): Promise<void> {
    this.#calls.cut();
    this.#calls.again();
  }

  /** The last call comes twice more at once. What the chain told is told again by a restart. */
  async twice(step: TestStep | undefined): Promise<void> {
    if (step?.kind !== 'event' || step.event.type.startsWith('CHAIN.')) return this.kill();
    this.#calls.repeat();
    this.#calls.repeat();
  }

  /** The node does not answer for a while: what is known can be read all the same. */
  async loseNode(): Promise<void> {
    const goOn = stopNode(this.#server.nodePid());
    try {
      const { state } = await this.#server.get<JobView>(`/a2a/jobs/${this.#jobId}`);
      expect(state).not.toBe('');
    } finally {
      goOn();
    }
  }

  /** Nothing is held any more, time brings the job to its end, and the books balance. */
  async close(): Promise<void> {
    await this.#server.tell({ do: 'clear' });
    if (this.#done < this.#path.steps.length || this.#jobId === '') return;
    await checkEnd({ server: this.#server, jobId: this.#jobId, sides: this.#mustSides });
    this.#calls.cut();
  }

  async #fund(begin: Letter, answer: Response, sides: BoardSides): Promise<void> {
    expect(answer.status).toBe(402);
    const offer = offerIn(answer);
    const { jobId, escrowKey } = offer.extra as Readonly<Record<string, string>>;
    this.#jobId = String(jobId);
    sides.escrowKey = escrowKey as `0x${string}`;
    await this.#gate('effect', this.#jobId);
    await this.#gate('chain.facts', sides.escrowKey);
    const now = await this.#server.now();
    const payment = await (this.#isFundedAtOnce
      ? sides.buyer.payer.pay(offer, { now })
      : sides.signBound(offer, now));
    sides.funding = { offer, payment };
    this.#calls.open(paying(begin, payment), this.#path.begin.after);
    await this.#until(() =>
      this.#actor().then(
        () => true,
        () => false,
      ),
    );
  }

  /** An ordinary payment by x402 is good for some minutes, and only the server can bring it. */
  get #isFundedAtOnce(): boolean {
    const [first, second] = this.#path.steps;
    const isBrought = first?.kind === 'effect_done' && untoldIn(first.after).facts.length > 0;
    return isBrought && second?.event.type === 'CHAIN.ESCROWED';
  }

  async #payRelease(): Promise<void> {
    const { buyer } = this.#mustSides;
    await this.#mustSides.refill();
    const path = `/a2a/jobs/${this.#jobId}/complete`;
    const letter = await this.#server.letter(buyer, path);
    const asked = await this.#server.send(letter);
    expect(asked.status).toBe(402);
    const payment = await buyer.payer.pay(offerIn(asked), { now: await this.#server.now() });
    this.#calls.open(paying(letter, payment), this.#before);
  }

  async #moveLetter(type: string): Promise<Letter> {
    const { move, path } = ASKED[type] ?? { move: '', path: '' };
    const sides = this.#mustSides;
    const by = move === 'fulfil' || move === 'give_back' ? sides.provider : sides.buyer;
    const job = await this.#server.get<JobView>(`/a2a/jobs/${this.#jobId}`);
    const words = move === 'dispute' ? REASON : TEXT;
    const signed =
      job.funding === 'escrow'
        ? { move_signature: await sides.signMove(job, by, move, words) }
        : {};
    const said = move === 'fulfil' ? { text: TEXT } : move === 'dispute' ? { reason: REASON } : {};
    return this.#server.letter(by, `/a2a/jobs/${this.#jobId}/${path}`, { ...said, ...signed });
  }

  /** What the chain has is told; what it has not yet is done by a side in person. */
  async #tell(fact: FactName): Promise<void> {
    if (untoldIn(this.#before).facts.length === 0) await this.#actInPerson(fact);
    // Told a little later than it happened, so that no window is counted from the chain's future.
    await this.#server.pass(BREATH_MS);
    const count = await this.#factCount();
    const { escrowKey } = this.#mustSides;
    await this.#until(async () => {
      if ((await this.#factCount()) > count) return true;
      // After a kill the facts of before come first, and change nothing.
      if (await this.#isHeld(escrowKey)) {
        await this.#server.tell({ do: 'release', where: 'chain.facts', about: escrowKey });
      }
      return false;
    });
  }

  /** A buyer whose money was short has it again before it funds in person. */
  async #actInPerson(fact: FactName): Promise<void> {
    if (fact === 'CHAIN.ESCROWED') await this.#mustSides.refill();
    await this.#mustSides.act(fact);
  }

  /** Somebody is faster than the effect. */
  async #beFirst(childId: string): Promise<void> {
    const sides = this.#mustSides;
    if (childId === 'sweep') return sides.setTime();
    if (childId === 'fund' || childId === 'collect') return sides.spendAll();
    const [other] = untoldIn(this.#ahead).facts;
    if (other === undefined) throw new Error('nobody was first');
    await sides.act(other);
  }

  async #break(where: string, about: string): Promise<void> {
    await this.#server.tell({ do: 'fault', name: 'failed_call', where });
    await this.#server.tell({ do: 'release', where: 'effect', about });
  }

  async #gate(where: string, about: string): Promise<void> {
    const fault = { name: 'held_call', where, about, count: EVERY_CALL, kept: true };
    await this.#server.tell({ do: 'fault', ...fault });
  }

  async #isHeld(about: string): Promise<boolean> {
    const { heldAbout } = await this.#server.tell<ControlState & Record<string, unknown>>({
      do: 'state',
    });
    return heldAbout.includes(about);
  }

  async #factCount(): Promise<number> {
    const { context } = await this.#actor();
    return (context as ReturnType<typeof jobIn>).facts.length;
  }

  async #until(claim: () => Promise<boolean>): Promise<void> {
    if (await this.#server.until(claim)) return;
    throw new Error(`waited too long for ${claim.toString()}`);
  }

  #actor() {
    return this.#server.actor(this.#jobId);
  }

  get #isPaidOnRelease(): boolean {
    return jobIn(this.#path.begin.after).funding === 'on_release';
  }

  /** Where the model stands: before the step that is being done, after the last one else. */
  get #before(): Standing {
    return (this.#path.steps[this.#done - 1] ?? this.#path.begin).after;
  }

  /** Where it stands after the step that is being done. */
  get #ahead(): Standing {
    return this.#path.steps[this.#done]?.after ?? this.#before;
  }

  get #mustSides(): BoardSides {
    if (this.#sides === undefined) throw new Error('the path has not begun');
    return this.#sides;
  }
}

function offerIn(answer: Response) {
  const text = Buffer.from(answer.headers.get('payment-required') ?? '', 'base64').toString();
  const [offer] = (JSON.parse(text) as PaymentRequired).accepts;
  if (offer === undefined) throw new Error('nothing is offered');
  return offer;
}

function paying(letter: Letter, payment: object): Letter {
  const signature = Buffer.from(JSON.stringify(payment)).toString('base64');
  return { ...letter, headers: { ...letter.headers, 'payment-signature': signature } };
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
