import type { AlertDefinition } from '../../src/domain/alert/definition.ts';
import type { AlertReading } from '../../src/machines/parts/alert-facts.ts';

/** One change, as the oracle tells it. */
export interface OracleRow {
  readonly to: string;
  readonly at: number;
  readonly reason: string;
  readonly gap: boolean;
  readonly told: boolean;
}

/**
 * The rules of an alert on a whole-number price, written down a second time and in another way: a
 * list of cases over plain numbers. Only for above, below and the two crossings.
 */
export class AlertOracle {
  readonly rows: OracleRow[] = [];
  state = 'unread';
  latch: 'armed' | 'fired' = 'armed';
  lastAsOf: number | undefined;
  now: number;
  private readonly d: AlertDefinition;
  private beyondSince: number | undefined;
  private calmSince: number | undefined;
  private before: boolean | undefined;
  private beforeGap: boolean | undefined;
  private why = 'no_data';
  private readonly toldAt: Record<string, number | undefined> = {};

  constructor(definition: AlertDefinition, at: number) {
    this.d = definition;
    this.now = at;
  }

  /** When it goes stale without news. */
  get due(): number {
    return Math.max(this.now, (this.lastAsOf ?? this.now) + this.d.staleAfterMs + 1);
  }

  /** The stale timer rings. */
  ring(): void {
    if (this.state !== 'armed' && this.state !== 'fired') return;
    const at = this.due;
    this.now = at;
    this.lose(at, this.why);
  }

  /** Its owner arms it. */
  rearm(at: number): void {
    if (this.state !== 'fired' || this.d.rearm !== 'manual') return;
    this.now = Math.max(this.now, at);
    this.latch = 'armed';
    this.calmSince = undefined;
    this.beyondSince = undefined;
    this.go('armed', at, 'rearmed');
  }

  /** A reading comes in. */
  read({ at, sample, fault }: AlertReading): void {
    const wasSetBack = this.now - at > 60_000;
    const isLive = this.state === 'armed' || this.state === 'fired';
    const isLate =
      isLive && this.lastAsOf !== undefined && at - this.lastAsOf > this.d.staleAfterMs;
    const usable =
      sample !== null &&
      sample.asOf - at <= this.d.maxSkewMs &&
      at - sample.asOf <= this.d.staleAfterMs &&
      (this.lastAsOf === undefined || sample.asOf > this.lastAsOf);
    if (fault !== null) this.why = fault.reason;
    if (wasSetBack) {
      this.now = at;
      const isAhead = this.lastAsOf !== undefined && this.lastAsOf - this.d.maxSkewMs > at;
      if (isLive || !usable) {
        if (isAhead) this.lastAsOf = undefined;
      }
      if (isLive) return this.lose(at, 'clock');
    }
    this.now = wasSetBack ? at : Math.max(this.now, at);
    if (isLate) this.lose(at, this.why);
    if (sample === null || !usable) {
      if (this.state === 'unread') this.lose(at, wasSetBack ? 'clock' : this.why);
      return;
    }
    this.use(Number(sample.value), sample.asOf, at);
  }

  private use(value: number, asOf: number, at: number): void {
    const level = Number(this.d.threshold);
    const band = Number(this.d.hysteresis);
    const isUp = this.d.op === 'above' || this.d.op === 'crosses_up';
    const isBeyond = isUp ? value > level : value < level;
    const isCalm = isUp ? value <= level - band : value >= level + band;
    const isCross = this.d.op.startsWith('crosses');
    const cameAcross = !isCross || this.before === false || this.beyondSince !== undefined;
    if (this.latch === 'armed') {
      this.beyondSince = isBeyond && cameAcross ? (this.beyondSince ?? asOf) : undefined;
      this.calmSince = undefined;
    } else {
      this.calmSince = isCalm ? (this.calmSince ?? asOf) : undefined;
      this.beyondSince = undefined;
    }
    this.lastAsOf = asOf;
    this.why = 'no_data';
    this.before = isBeyond;
    if (this.state === 'stale') {
      const gap = isCross && this.beforeGap === false && isBeyond;
      this.beforeGap = undefined;
      this.go(this.latch, at, 'resumed', gap);
    } else if (this.state === 'fired') {
      const isOver =
        this.calmSince !== undefined && asOf - this.calmSince >= this.d.keepFiringMs;
      if (this.d.rearm === 'auto' && isOver) this.turn('armed', at, 'condition_cleared');
    } else if (this.beyondSince !== undefined && asOf - this.beyondSince >= this.d.holdForMs) {
      this.turn('fired', at, 'condition_met');
    } else if (this.state === 'unread') {
      this.go('armed', at, 'first_reading');
    }
  }

  private turn(to: 'armed' | 'fired', at: number, reason: string): void {
    this.latch = to;
    this.beyondSince = undefined;
    this.calmSince = undefined;
    this.go(to, at, reason);
  }

  private lose(at: number, reason: string): void {
    this.beforeGap = this.before;
    this.before = undefined;
    this.beyondSince = undefined;
    this.calmSince = undefined;
    this.go('stale', at, reason);
  }

  private go(to: string, at: number, reason: string, gap = false): void {
    const told = this.tells(to, at);
    const isCounted = told && to !== 'stale' && this.state !== 'stale';
    if (isCounted) this.toldAt[to] = at;
    this.rows.push({ to, at, reason, gap, told });
    this.state = to;
  }

  private tells(to: string, at: number): boolean {
    if (to === 'stale' || this.state === 'stale') return true;
    if (this.state === 'unread') return to === 'fired';
    const last = this.toldAt[to];
    return last === undefined || at < last || at - last >= this.d.cooldownMs;
  }
}
