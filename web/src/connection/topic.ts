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

/** What each topic pushes as its state. */
export interface TopicFrames {
  readonly actors: ActorsFrame;
  readonly actor: ActorFrame;
  readonly feed: never;
  readonly panel: PanelFrame;
  readonly audit: AuditFrame;
  readonly runtime: RuntimeFrame;
}

/** A topic by its name. */
export type TopicOf<Name extends Topic['name']> = Extract<Topic, { readonly name: Name }>;

/** Takes what a subscription pushes; what is left out is ignored. */
export interface Listener<Name extends Topic['name']> {
  /** The newest state; states between two frames may be left out. */
  frame?(frame: TopicFrames[Name]): void;
  /** Journal rows in order; none is left out and none comes twice, over reconnects too. */
  rows?(rows: readonly JournalRow[]): void;
  /** Words that a model is just writing: shown, never kept. */
  shown?(event: JsonObject): void;
  /** The subscription is over and is not begun again. */
  ended?(error: WireError): void;
}

/** One subscription of the page, which outlives the sockets that carry it. */
export class Subscription {
  readonly #listener: Listener<Topic['name']>;
  #topic: Topic;

  constructor(topic: Topic, listener: Listener<Topic['name']>) {
    this.#topic = topic;
    this.#listener = listener;
  }

  /** What to ask for now: after a break, rows go on where they stopped. */
  get topic(): Topic {
    return this.#topic;
  }

  /** Hands a push on. */
  take(push: Push): void {
    switch (push.kind) {
      case 'frame': {
        const { frame } = push;
        // Rows were wanted from the first frame on; a break before the first row must lose none.
        if (frame.topic === 'actor' && this.#fromSeq === undefined) this.#goOnAt(frame.seq + 1);
        this.#listener.frame?.(frame as never);
        return;
      }
      case 'rows':
        this.#goOnAt(push.nextSeq);
        this.#listener.rows?.(push.rows);
        return;
      case 'shown':
        this.#listener.shown?.(push.event);
        return;
      case 'ended':
        this.#listener.ended?.(push.error);
    }
  }

  /** The server refused it. */
  refuse(error: WireError): void {
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
