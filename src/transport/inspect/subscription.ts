import type { InspectSubscription, PushBody, PushSink } from '../../domain/inspect/inspector.ts';
import type { Push } from '../../domain/inspect/wire.ts';

/** The client side of a subscription. */
export interface SubscriptionSink {
  push(push: Push): boolean;
  /** Called when the inspector has ended the subscription. */
  onEnded(): void;
}

/**
 * One subscription of a client. Holds a push that precedes the answer to `subscribe`, one at most,
 * so that the client receives the answer first.
 */
export class Subscription implements PushSink {
  readonly id: number;
  private readonly out: SubscriptionSink;
  private inspection: InspectSubscription | undefined;
  private state: 'beginning' | 'running' | 'paused' | 'ended' = 'beginning';
  private held: PushBody[] = [];

  constructor(id: number, out: SubscriptionSink) {
    this.id = id;
    this.out = out;
  }

  push(body: PushBody): boolean {
    if (this.state === 'ended') return false;
    if (this.state === 'beginning') {
      this.held.push(body);
      return false;
    }
    const keepsUp = this.out.push(toPush(this.id, body));
    if (body.kind === 'ended') this.close();
    else if (!keepsUp) this.pause();
    return keepsUp;
  }

  /**
   * Attaches the inspection once the inspector has started it.
   *
   * @returns `false` when the client has left meanwhile. The inspection is then ended.
   */
  attach(inspection: InspectSubscription): boolean {
    if (this.state === 'ended') {
      inspection.close();
      return false;
    }
    this.inspection = inspection;
    return true;
  }

  /** Sends the held pushes after the answer. */
  release(): void {
    if (this.state !== 'beginning') return;
    const { held } = this;
    this.held = [];
    this.state = 'running';
    for (const body of held) this.push(body);
    // The inspector was told to wait, but the client keeps up.
    if (held.length > 0 && this.isRunning()) this.inspection?.resume();
  }

  /**
   * Closes the subscription because the inspector rejected it.
   *
   * @returns Whether the client still waits for the answer.
   */
  fail(): boolean {
    if (this.state === 'ended') return false;
    this.close();
    return true;
  }

  /**
   * Resumes after a pause, when the client accepts more.
   *
   * @returns Whether the subscription had paused.
   */
  resume(): boolean {
    if (this.state !== 'paused') return false;
    this.state = 'running';
    this.inspection?.resume();
    return true;
  }

  /** Ends the subscription for the client. */
  end(): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.held = [];
    this.inspection?.close();
    this.inspection = undefined;
  }

  // A method, because the state can change during a push.
  private isRunning(): boolean {
    return this.state === 'running';
  }

  private pause(): void {
    if (this.state === 'running') this.state = 'paused';
  }

  private close(): void {
    this.end();
    this.out.onEnded();
  }
}

function toPush(sub: number, body: PushBody): Push {
  return { sub, ...body } as Push;
}
