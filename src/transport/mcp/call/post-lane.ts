import type { CloseListener, HttpExchange, HttpReply } from '../../http/host.ts';
import { packReply } from '../../http/pack-reply.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import type { McpSession, OpenCall } from '../session/session.ts';
import { SseChannel } from '../sse-channel.ts';
import { hasPriming } from '../versions.ts';

const JSON_HEADERS = ['content-type', 'application/json'];

/** Status and headers of a reply, used while the head is unsent. */
export interface Carriage {
  readonly status: number;
  readonly headers?: readonly string[];
}

const PLAIN: Carriage = { status: 200 };

/**
 * The reply to one POST: plain JSON if nothing must be sent before the result, else a resumable
 * stream.
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

  /** Answers one request. The carriage applies only while the head is unsent. */
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

  /** Skips the answer of a request that its client cancelled. */
  forgo(): void {
    this.unanswered -= 1;
    if (this.unanswered > 0) return;
    if (this.channel !== undefined) this.channel.end();
    else if (this.responses.length > 0) this.replyJson(`[${this.responses.join(',')}]`, PLAIN);
    else this.exchange.reply({ status: 202 });
  }

  /** Sends a notification or a server request on the stream of this POST. */
  notify(json: string): void {
    this.upgrade();
    this.channel?.send(json);
  }

  /** Switches the reply to a stream. Sends the responses so far first. */
  upgrade(): void {
    if (this.channel !== undefined) return;
    const channel = this.open(this.core.sessions.streamId());
    for (const call of this.mine()) this.opened(call);
    channel.attach(this.exchange, [], hasPriming(this.session.row.protocolVersion));
    for (const json of this.responses) channel.send(json);
  }

  /** Creates a stream for the reply. It has no reader yet. */
  open(streamId: string): SseChannel {
    this.channel = new SseChannel(this.core, {
      sessionId: this.session.row.sessionId,
      streamId,
      onDeserted: () => this.callersGone(),
    });
    return this.channel;
  }

  /** Stores a call whose reply is a stream, so that the next start can finish it. */
  opened(call: OpenCall): void {
    if (this.channel === undefined) return;
    const repeat = call.repeat?.();
    this.core.openCalls.put({ ...this.place(call), ...(repeat === undefined ? {} : { repeat }) });
  }

  /** Deletes the stored call when it is answered or needs no answer. */
  closed(call: OpenCall): void {
    if (this.channel !== undefined) this.core.openCalls.remove(this.place(call));
  }

  /** Leaves a call to the next start. The stream ends after the last call. */
  suspend(call: OpenCall): boolean {
    if (this.channel === undefined) return false;
    this.session.drop(call);
    this.unanswered -= 1;
    if (this.unanswered === 0) this.channel.end();
    return true;
  }

  /** Aborts all calls: the client left before a stream was open, so nothing can be resumed. */
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

  /** A batch of 50 short requests may have 50 long replies, so they are compressed. */
  private async replyPacked(reply: HttpReply): Promise<void> {
    this.exchange.reply(await packReply(reply, this.exchange.request));
  }
}
