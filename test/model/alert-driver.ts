import { expect } from 'vitest';
import type { AlertHistory } from '../../src/domain/alert/view.ts';
import type { AlertInput, AlertReading } from '../../src/machines/alert/alert-context.ts';
import type { EffectResult, Ev } from '../../src/runtime/engine/types.ts';
import type { Driver, DueTimer, EndedEffect, Observed } from '../../src/testing/driver.ts';
import { MODEL_START_MS } from '../../src/testing/model.ts';
import type { Standing, TestPath } from '../../src/testing/path.ts';
import { AlertOracle } from '../support/alert-oracle.ts';
import { challengeFor, type RawAnswer, rawCall, receiptOf } from '../support/raw-calls.ts';
import { alertIn, nowIn } from './alert-plan.ts';
import { balanceIn } from './balance-in.ts';
import type { BoardServer, BoardSide, ControlState } from './board-server.ts';

/** Drives one alert that was bought through the front of a real server. */
export function alertDriver(server: BoardServer, path: TestPath): Driver {
  const run = new AlertRun(server, path);
  return {
    start: (input) => run.start(input as AlertInput),
    send: (event) => run.step(() => run.send(event)),
    elapse: (timer) => run.step(() => run.elapse(timer)),
    settle: (effect, result) => run.step(() => run.settle(effect, result)),
    observe: () => run.observe(),
    faults: {
      kill_restart: () => run.kill(),
      lost_reply: () => run.again(),
      duplicate: () => run.again(),
    },
    close: () => run.close(),
  };
}

const TOOL = 'oracle_alert-generator';
const PRICE = 50_000n;
const PURSE = 1_000_000n;
const PAIR = { pair: 'BTC/USD', venue: 'kraken' } as const;
const EVERY_CALL = 10_000;
/** A purchase waits for its first reading no longer, in milliseconds of the server's clock. */
const PATIENCE_MS = 20_000;
/** A reading takes no longer: where more time passes, the server was away meanwhile. */
const READING_MS = 10_000;

class AlertRun {
  readonly #server: BoardServer;
  readonly #path: TestPath;
  #done = 0;
  #alertId = '';
  /** From the model's clock to the server's. */
  #shiftMs = 0;
  #side: BoardSide | undefined;
  #oracle: AlertOracle | undefined;
  #last: (() => Promise<Response>) | undefined;
  #buy: (() => Promise<RawAnswer>) | undefined;
  #bought: RawAnswer | undefined;
  #buying: Promise<void> = Promise.resolve();

  constructor(server: BoardServer, path: TestPath) {
    this.#server = server;
    this.#path = path;
  }

  /** Buys the alert; the answer comes with its first reading, which waits. */
  async start({ definition }: AlertInput): Promise<void> {
    const server = this.#server;
    const side = await server.side('1');
    this.#side = side;
    const now = await server.now();
    this.#shiftMs = now - MODEL_START_MS;
    this.#oracle = new AlertOracle(definition, now);
    await server.tell({ do: 'price', ...PAIR, price: { value: '90', asOf: now } });
    const gate = { name: 'held_call', where: 'effect', about: 'alert_', kept: true };
    await server.tell({ do: 'fault', ...gate, count: EVERY_CALL });
    const args = {
      subject: PAIR,
      op: definition.op,
      threshold: definition.threshold,
      hysteresis: definition.hysteresis,
      rearm: definition.rearm,
      eval_interval_s: definition.evalIntervalMs / 1_000,
      stale_after_s: definition.staleAfterMs / 1_000,
      cooldown_s: definition.cooldownMs / 1_000,
      expires_in_s: definition.lifeMs / 1_000,
    };
    const call = () => ({ ready: server.ready, carrier: 'meta', tool: TOOL, args }) as const;
    const { accepts } = await challengeFor(call());
    const [offer] = accepts;
    if (offer === undefined) throw new Error('the challenge offers nothing');
    const payment = await side.payer.pay(offer, { now });
    this.#buy = () => rawCall({ ...call(), payments: [payment] });
    this.#ask();
    await this.#until(async () => (await this.#held()) !== undefined);
    this.#alertId = (await this.#held())?.replace(/\.read$/, '') ?? '';
  }

  async step(act: () => Promise<void>): Promise<void> {
    await act();
    this.#done += 1;
  }

  async send({ type }: Ev): Promise<void> {
    const isRearm = type === 'ALERT.REARM';
    const path = `/a2a/alerts/${this.#alertId}${isRearm ? '/rearm' : ''}`;
    const method = isRearm ? 'POST' : 'DELETE';
    this.#last = () => fetch(`${this.#server.ready.base_url}${path}`, { method });
    const answer = await this.#last();
    expect([answer.status, type]).toEqual([200, type]);
    if (isRearm) this.#oracle?.rearm(await this.#server.now());
  }

  async elapse({ timerId }: DueTimer): Promise<void> {
    const { timers, effects } = await this.#actor();
    const timer = timers.find((row) => row.timerId === timerId);
    if (timer === undefined) throw new Error(`the alert has no timer ${timerId}`);
    const isLong = timer.due - (await this.#server.now()) > READING_MS;
    if (isLong && effects.length > 0) {
      await this.#server.stopAndRestart(timer.due);
      await this.#server.pass(0);
    } else {
      await this.#server.tell({ do: 'clock.set', at: timer.due });
    }
    if (timerId.includes('staleDue')) this.#oracle?.ring();
  }

  /** The source answers as the path says; at another time than now after the server was away. */
  async settle(_: EndedEffect, result: EffectResult): Promise<void> {
    const before = this.#expected;
    const [{ token } = { token: '' }] = (await this.#actor()).effects;
    const reading = result.ok ? (result.output as AlertReading) : undefined;
    const leapMs = reading === undefined ? 0 : reading.at - nowIn(before);
    if (leapMs !== 0) await this.#server.stopAndRestart((await this.#server.now()) + leapMs);
    await this.#until(async () => (await this.#held()) !== undefined);
    const sample = reading?.sample ?? null;
    const price =
      sample === null ? null : { value: sample.value, asOf: sample.asOf + this.#shiftMs };
    await this.#server.tell({ do: 'price', ...PAIR, price });
    const how = result.ok ? 'go' : 'failed_call';
    await this.#server.tell({ do: 'release', where: 'effect', about: this.#alertId, how });
    await this.#until(async () =>
      (await this.#actor()).effects.every((effect) => effect.token !== token),
    );
    if (reading === undefined) this.#oracle = undefined;
    const at = await this.#server.now();
    this.#oracle?.read({
      at,
      sample: price === null ? null : { ...price, source: 'kraken' },
      fault: reading?.fault ?? null,
    });
  }

  async observe(): Promise<Observed> {
    const expected = this.#expected;
    await this.#server.until(async () => same((await this.#actor()).value, expected.value));
    const { value, status, context, timers, effects } = await this.#actor();
    if (same(value, expected.value)) await this.#look(expected);
    const { state, latch } = context as ReturnType<typeof alertIn>;
    return {
      value,
      status,
      timers: timers.map(({ timerId }) => timerId),
      effects: effects.map(({ childId }) => childId),
      facets: { state, latch },
    };
  }

  /** A reading that is cut off by a kill is one that failed: only a stop spares it. */
  async kill(): Promise<void> {
    const { effects } = await this.#actor();
    if (effects.length > 0) await this.#server.stopAndRestart();
    else await this.#server.killAndRestart();
    if (this.#bought === undefined) this.#ask();
  }

  /** The last call is sent again: a deletion changes nothing then, and nothing is armed twice. */
  async again(): Promise<void> {
    const answer = await this.#last?.();
    if (answer === undefined) return;
    expect([200, 409]).toContain(answer.status);
  }

  /** The alert is ended, and has cost its price once where its purchase was answered. */
  async close(): Promise<void> {
    const server = this.#server;
    if (this.#alertId !== '') await this.#end(this.#alertId);
    await server.tell({ do: 'clear' });
    const payer = this.#side?.payer.address;
    if (this.#done < this.#path.steps.length || payer === undefined) return;
    // A purchase that still waits ends with its patience, or with an alert in place of the ended
    // one.
    await server.pass(PATIENCE_MS);
    await this.#buying;
    const { alert_id: other } = Object(this.#bought?.result['structuredContent']);
    if (typeof other === 'string') await this.#end(other);
    const cost = PURSE - (await balanceIn(server.ready.chain, payer));
    // Whoever was cut off does not know; everybody else pays for what was answered, once.
    if (this.#bought === undefined) expect([0n, PRICE]).toContain(cost);
    else expect(cost).toBe(this.#isPaid || this.#isReplayed ? PRICE : 0n);
    if (this.#isPaid) expect(receiptOf(this.#bought as RawAnswer)).toMatchObject({ success: true });
  }

  async #end(alertId: string): Promise<void> {
    const url = `${this.#server.ready.base_url}/a2a/alerts/${alertId}`;
    await fetch(url, { method: 'DELETE' });
  }

  get #isPaid(): boolean {
    return this.#bought?.result['isError'] !== true && this.#bought !== undefined;
  }

  /** Asked again after a kill, and so late that the settled payment brings no result any more. */
  get #isReplayed(): boolean {
    return JSON.stringify(this.#bought?.result ?? '').includes('PAYMENT_REPLAYED');
  }

  /** What anybody can read of the alert is what the model and the oracle say. */
  async #look(expected: Standing): Promise<void> {
    const { history, state, seq, ended } = alertIn(expected);
    const page = await this.#server.get<AlertHistory>(`/a2a/alerts/${this.#alertId}`);
    const rows = page.history.map(({ to, at, reason, gap_crossed: gap }) => {
      return { to, at: Date.parse(at), reason, gap };
    });
    const shift = this.#shiftMs;
    expect(rows).toEqual(
      history.map(({ to, at, reason, gapCrossed: gap }) => ({ to, at: at + shift, reason, gap })),
    );
    if (this.#oracle !== undefined) {
      expect(rows).toEqual(this.#oracle.rows.map(({ told: _told, ...row }) => row));
    }
    expect([page.state, page.active, page.ended]).toEqual([state, ended === null, ended]);
    // The purchase is answered with the first reading, and settled then.
    if (seq > 0) await this.#until(async () => this.#bought !== undefined);
  }

  #ask(): void {
    const buy = async (): Promise<void> => {
      this.#bought = await this.#buy?.();
    };
    // Broken off by a kill: it is asked again then.
    this.#buying = buy().catch(() => undefined);
  }

  async #held(): Promise<string | undefined> {
    const { heldAbout } = await this.#server.tell<ControlState & Record<string, unknown>>({
      do: 'state',
    });
    return heldAbout.find((about) => about.startsWith('alert_'));
  }

  async #until(claim: () => Promise<boolean>): Promise<void> {
    if (await this.#server.until(claim)) return;
    throw new Error(`waited too long for ${claim.toString()}`);
  }

  #actor() {
    return this.#server.actor(this.#alertId);
  }

  get #expected(): Standing {
    return (this.#path.steps[this.#done - 1] ?? this.#path.begin).after;
  }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
