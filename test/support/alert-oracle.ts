import type { AlertDefinition } from '../../src/domain/alert/definition.ts';
import type { AlertReading } from '../../src/machines/alert/alert-context.ts';

/** One change, as the oracle tells it. */
export interface OracleRow {
  readonly to: string;
  readonly at: number;
  readonly reason: string;
  readonly gap: boolean;
  readonly told: boolean;
}

/**
 * The rules of an alert on a whole number, written down a second time and in another way: a list
 * of cases over plain numbers. Only for figures that are held against the threshold as they come.
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
  read(reading: AlertReading): void {
    const { at, sample, fault } = reading;
    if (fault !== null) this.why = fault.reason;
    const isUsable = this.isUsable(reading);
    const wasSetBack = this.now - at > 60_000;
    const isGone = wasSetBack ? this.setBack(at, isUsable) : this.passTo(at);
    if (isGone) return;
    if (sample !== null && isUsable) this.use(Number(sample.value), sample.asOf, at);
    else if (this.state === 'unread') this.lose(at, wasSetBack ? 'clock' : this.why);
  }

  private get isLive(): boolean {
    return this.state === 'armed' || this.state === 'fired';
  }

  private isUsable({ at, sample }: AlertReading): boolean {
    if (sample === null || sample.asOf - at > this.d.maxSkewMs) return false;
    const isNewer = this.lastAsOf === undefined || sample.asOf > this.lastAsOf;
    return isNewer && at - sample.asOf <= this.d.staleAfterMs;
  }

  /** Returns whether that is all that the reading does. */
  private setBack(at: number, isUsable: boolean): boolean {
    const isAhead = this.lastAsOf !== undefined && this.lastAsOf - this.d.maxSkewMs > at;
    this.now = at;
    if (isAhead && (this.isLive || !isUsable)) this.lastAsOf = undefined;
    if (!this.isLive) return false;
    this.lose(at, 'clock');
    return true;
  }

  private passTo(at: number): boolean {
    this.now = Math.max(this.now, at);
    const isLate = this.lastAsOf !== undefined && at - this.lastAsOf > this.d.staleAfterMs;
    if (this.isLive && isLate) this.lose(at, this.why);
    return false;
  }

  private use(value: number, asOf: number, at: number): void {
    const { isBeyond, isCalm } = this.sidesOf(value);
    const isCross = this.d.op.startsWith('crosses');
    const cameAcross = !isCross || this.before === false || this.beyondSince !== undefined;
    const isArmed = this.latch === 'armed';
    this.beyondSince = isArmed && isBeyond && cameAcross ? (this.beyondSince ?? asOf) : undefined;
    this.calmSince = !isArmed && isCalm ? (this.calmSince ?? asOf) : undefined;
    this.lastAsOf = asOf;
    this.why = 'no_data';
    this.before = isBeyond;
    if (this.state !== 'stale') {
      this.decide(asOf, at);
      return;
    }
    const gap = isCross && this.beforeGap === false && isBeyond;
    this.beforeGap = undefined;
    this.go(this.latch, at, 'resumed', gap);
  }

  private sidesOf(value: number): { readonly isBeyond: boolean; readonly isCalm: boolean } {
    const level = Number(this.d.threshold);
    const band = Number(this.d.hysteresis);
    const isUp = this.d.op !== 'below' && this.d.op !== 'crosses_down';
    return isUp
      ? { isBeyond: value > level, isCalm: value <= level - band }
      : { isBeyond: value < level, isCalm: value >= level + band };
  }

  private decide(asOf: number, at: number): void {
    const lasts = (since: number | undefined, ms: number): boolean =>
      since !== undefined && asOf - since >= ms;
    if (this.state === 'fired') {
      const isOver = this.d.rearm === 'auto' && lasts(this.calmSince, this.d.keepFiringMs);
      if (isOver) this.turn('armed', at, 'condition_cleared');
    } else if (lasts(this.beyondSince, this.d.holdForMs)) {
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
