import type { Inspection, InspectSink, PushBody } from '../../domain/inspect/inspector.ts';
import type { Push } from '../../domain/inspect/wire.ts';

/** What a subscription does to its client. */
export interface SubscriptionOut {
  push(push: Push): boolean;
  /** The inspector has ended it. */
  ended(): void;
}

/**
 * One subscription of a client. What is pushed before the answer to `subscribe` has gone out is
 * held, one push at most, so that a client hears the answer first.
 */
export class Subscription implements InspectSink {
  readonly id: number;
  private readonly out: SubscriptionOut;
  private inspection: Inspection | undefined;
  private state: 'beginning' | 'running' | 'paused' | 'ended' = 'beginning';
  private held: PushBody[] = [];

  constructor(id: number, out: SubscriptionOut) {
    this.id = id;
    this.out = out;
  }

  push(body: PushBody): boolean {
    if (this.state === 'ended') return false;
    if (this.state === 'beginning') {
      this.held.push(body);
      return false;
    }
    const keepsUp = this.out.push(pushOf(this.id, body));
    if (body.kind === 'ended') this.close();
    else if (!keepsUp) this.pause();
    return keepsUp;
  }

  /**
   * The inspector has begun.
   *
   * @returns `false` when the client has left meanwhile: the inspection is ended.
   */
  began(inspection: Inspection): boolean {
    if (this.state === 'ended') {
      inspection.end();
      return false;
    }
    this.inspection = inspection;
    return true;
  }

  /** The answer has gone out: what was held follows it. */
  release(): void {
    if (this.state !== 'beginning') return;
    const { held } = this;
    this.held = [];
    this.state = 'running';
    for (const body of held) this.push(body);
    // The inspector was told to wait, and the client keeps up.
    if (held.length > 0 && this.isRunning()) this.inspection?.resume();
  }

  /**
   * The inspector refused to begin.
   *
   * @returns Whether the client still waits for the answer.
   */
  fail(): boolean {
    if (this.state === 'ended') return false;
    this.close();
    return true;
  }

  /**
   * The client takes more.
   *
   * @returns Whether the subscription had paused.
   */
  resume(): boolean {
    if (this.state !== 'paused') return false;
    this.state = 'running';
    this.inspection?.resume();
    return true;
  }

  /** The client wants no more. */
  end(): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.held = [];
    this.inspection?.end();
    this.inspection = undefined;
  }

  // The state moves while a push is under way.
  private isRunning(): boolean {
    return this.state === 'running';
  }

  private pause(): void {
    if (this.state === 'running') this.state = 'paused';
  }

  private close(): void {
    this.end();
    this.out.ended();
  }
}

function pushOf(sub: number, body: PushBody): Push {
  return { sub, ...body } as Push;
}
