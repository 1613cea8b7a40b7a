import type { CloseListener, HttpExchange } from '../http/host.ts';
import type { EndpointCore } from './endpoint-core.ts';
import type { McpSession, OpenCall } from './session.ts';
import { SseChannel } from './sse-channel.ts';
import { hasPriming } from './versions.ts';

const JSON_HEADERS = ['content-type', 'application/json'];

/** How an answer is carried, where the head is not sent yet. */
export interface Carriage {
  readonly status: number;
  readonly headers?: readonly string[];
}

const PLAIN: Carriage = { status: 200 };

/**
 * The answer to one POST: plain JSON when everything is known before anything was to be told,
 * otherwise a stream that can be resumed.
 */
export class PostLane implements CloseListener {
  readonly exchange: HttpExchange;
  readonly session: McpSession;
  readonly isBatch: boolean;
  channel: SseChannel | undefined;
  private readonly core: EndpointCore;
  private readonly responses: string[] = [];
  private unanswered: number;

  constructor(core: EndpointCore, exchange: HttpExchange, session: McpSession, requests?: number) {
    this.core = core;
    this.exchange = exchange;
    this.session = session;
    this.isBatch = requests !== undefined;
    this.unanswered = requests ?? 1;
    exchange.listenClose(this);
  }

  /** Answers one request. What a carriage says holds only while the head is not sent. */
  respond(json: string, carriage: Carriage = PLAIN): void {
    this.unanswered -= 1;
    if (this.channel !== undefined) {
      this.channel.send(json);
      if (this.unanswered === 0) this.channel.end();
      return;
    }
    if (this.isBatch) {
      this.responses.push(json);
      if (this.unanswered === 0) this.replyJson(`[${this.responses.join(',')}]`, PLAIN);
      return;
    }
    this.replyJson(json, carriage);
  }

  /** A request that gets no answer, because its client cancelled it. */
  forgo(): void {
    this.unanswered -= 1;
    if (this.unanswered > 0) return;
    if (this.channel !== undefined) this.channel.end();
    else if (this.responses.length > 0) this.replyJson(`[${this.responses.join(',')}]`, PLAIN);
    else this.exchange.reply({ status: 202 });
  }

  /** Sends a notification or a request of ours, in the stream of this POST. */
  notify(json: string): void {
    this.upgrade();
    this.channel?.send(json);
  }

  /** Moves the answer to a stream. Responses that wait already go out first. */
  upgrade(): void {
    if (this.channel !== undefined) return;
    const { sessionId, protocolVersion } = this.session.row;
    const channel = new SseChannel({
      sessionId,
      streamId: this.core.sessions.streamId(),
      events: this.core.events,
      pulse: this.core.pulse,
      keepAliveMs: this.core.limits.keepAliveMs,
      resumeGraceMs: this.core.limits.resumeGraceMs,
      onDeserted: () => this.callersGone(),
    });
    this.channel = channel;
    channel.attach(this.exchange, [], hasPriming(protocolVersion));
    for (const json of this.responses) channel.send(json);
  }

  /** The client left before a stream was open: nothing can be resumed. */
  connectionClosed(): void {
    this.callersGone();
  }

  private callersGone(): void {
    const mine = (call: OpenCall): boolean => call.lane === this;
    for (const call of this.session.openCalls.filter(mine)) call.callerGone();
  }

  private replyJson(body: string, carriage: Carriage): void {
    const { status, headers } = carriage;
    const all = headers === undefined ? JSON_HEADERS : [...JSON_HEADERS, ...headers];
    this.exchange.reply({ status, headers: all, body });
  }
}
