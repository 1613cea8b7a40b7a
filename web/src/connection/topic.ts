import type { JsonObject } from '../../../src/domain/common/json.ts';
import type { AuditFrame } from '../../../src/domain/inspect/audit-frame.ts';
import type { Topic } from '../../../src/domain/inspect/message.ts';
import type {
  ActorFrame,
  ActorsFrame,
  JournalRow,
  PanelFrame,
  Push,
  RuntimeFrame,
  WireError,
} from '../../../src/domain/inspect/wire.ts';

/** Frame type of each topic. */
export interface TopicFrames {
  readonly actors: ActorsFrame;
  readonly actor: ActorFrame;
  readonly feed: never;
  readonly panel: PanelFrame;
  readonly audit: AuditFrame;
  readonly runtime: RuntimeFrame;
}

/** The topic with a given name. */
export type TopicOf<Name extends Topic['name']> = Extract<Topic, { readonly name: Name }>;

/** Callbacks of a subscription; absent ones ignore their pushes. */
export interface Listener<Name extends Topic['name']> {
  /** Receives the newest state; intermediate states may be skipped. */
  frame?(frame: TopicFrames[Name]): void;
  /** Receives journal rows in order, each exactly once, also across reconnects. */
  rows?(rows: readonly JournalRow[]): void;
  /** Receives live model output, which is displayed but not stored. */
  liveText?(event: JsonObject): void;
  /** The subscription has ended for good. */
  ended?(error: WireError): void;
}

/** A subscription of the page; it survives reconnects. */
export class Subscription {
  readonly #listener: Listener<Topic['name']>;
  #topic: Topic;

  constructor(topic: Topic, listener: Listener<Topic['name']>) {
    this.#topic = topic;
    this.#listener = listener;
  }

  /** Topic to subscribe to; after a reconnect, it resumes at the next row. */
  get topic(): Topic {
    return this.#topic;
  }

  /** Passes a push to the listener. */
  handlePush(push: Push): void {
    switch (push.kind) {
      case 'frame': {
        const { frame } = push;
        // Rows count from the first frame on: a reconnect before the first row must not lose any.
        if (frame.topic === 'actor' && this.#fromSeq === undefined) this.#goOnAt(frame.seq + 1);
        this.#listener.frame?.(frame as never);
        return;
      }
      case 'rows':
        this.#goOnAt(push.nextSeq);
        this.#listener.rows?.(push.rows);
        return;
      case 'shown':
        this.#listener.liveText?.(push.event);
        return;
      case 'ended':
        this.#listener.ended?.(push.error);
    }
  }

  /** Ends the subscription, because the server rejected it. */
  reject(error: WireError): void {
    this.#listener.ended?.(error);
  }

  get #fromSeq(): number | undefined {
    return 'fromSeq' in this.#topic ? this.#topic.fromSeq : undefined;
  }

  #goOnAt(fromSeq: number): void {
    if (this.#topic.name === 'actor' || this.#topic.name === 'feed') {
      this.#topic = { ...this.#topic, fromSeq };
    }
  }
}
