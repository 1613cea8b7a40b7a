import type { CloseListener, HttpExchange, HttpReply } from '../../http/host.ts';
import { packReply } from '../../http/pack-reply.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import type { McpSession, OpenCall } from '../session/session.ts';
import { SseChannel } from '../sse-channel.ts';
import { hasPriming } from '../versions.ts';

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
    const channel = this.open(this.core.sessions.streamId());
    for (const call of this.mine()) this.opened(call);
    channel.attach(this.exchange, [], hasPriming(this.session.row.protocolVersion));
    for (const json of this.responses) channel.send(json);
  }

  /** Gives the answer a stream, which nobody reads yet. */
  open(streamId: string): SseChannel {
    this.channel = new SseChannel(this.core, {
      sessionId: this.session.row.sessionId,
      streamId,
      onDeserted: () => this.callersGone(),
    });
    return this.channel;
  }

  /** Writes down a call whose answer is a stream, so that the next start can finish it. */
  opened(call: OpenCall): void {
    if (this.channel === undefined) return;
    const repeat = call.repeat?.();
    this.core.openCalls.put({ ...this.place(call), ...(repeat === undefined ? {} : { repeat }) });
  }

  /** Crosses out a call that is answered, or wants no answer. */
  closed(call: OpenCall): void {
    if (this.channel !== undefined) this.core.openCalls.remove(this.place(call));
  }

  /** Leaves a call to the next start; the stream ends when it was the last one. */
  suspend(call: OpenCall): boolean {
    if (this.channel === undefined) return false;
    this.session.drop(call);
    this.unanswered -= 1;
    if (this.unanswered === 0) this.channel.end();
    return true;
  }

  /** The client left before a stream was open: nothing can be resumed. */
  connectionClosed(): void {
    this.callersGone();
  }

  private callersGone(): void {
    for (const call of this.mine()) call.callerGone();
  }

  private mine(): readonly OpenCall[] {
    return this.session.openCalls.filter((call) => call.lane === this);
  }

  private place(call: OpenCall) {
    const { sessionId } = this.session.row;
    return { sessionId, streamId: this.channel?.streamId ?? '', requestId: call.id };
  }

  private replyJson(body: string, carriage: Carriage): void {
    const { status, headers } = carriage;
    const all = headers === undefined ? JSON_HEADERS : [...JSON_HEADERS, ...headers];
    const reply = { status, headers: all, body };
    if (this.isBatch) this.replyPacked(reply).catch(() => this.exchange.reply(reply));
    else this.exchange.reply(reply);
  }

  /** Fifty short requests of a batch may have fifty long answers. */
  private async replyPacked(reply: HttpReply): Promise<void> {
    this.exchange.reply(await packReply(reply, this.exchange.request));
  }
}
