import { compressReply, LONG_REPLY_CHARS } from '../../http/compress-reply.ts';
import type { CloseListener, HttpExchange, HttpReply } from '../../http/host.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import type { McpSession } from '../session/session.ts';
import { SseChannel } from '../sse-channel.ts';
import { supportsPriming } from '../versions.ts';
import type { OpenCall, ReplyWriter } from './open-call.ts';

const JSON_HEADERS = ['content-type', 'application/json'];

/** Status and headers of a reply, used while the head is unsent. */
export interface ReplyHead {
  readonly status: number;
  readonly headers?: readonly string[];
}

const PLAIN: ReplyHead = { status: 200 };

/**
 * The reply to one POST: plain JSON if nothing must be sent before the result, else a resumable
 * stream.
 */
export class ResponseWriter implements CloseListener, ReplyWriter {
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
  respond(json: string, head: ReplyHead = PLAIN): void {
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
    this.replyJson(json, head);
  }

  /** Skips the answer of a request that its client cancelled. */
  skip(): void {
    this.unanswered -= 1;
    if (this.unanswered > 0) return;
    if (this.channel !== undefined) this.channel.end();
    else if (this.responses.length > 0) this.replyJson(`[${this.responses.join(',')}]`, PLAIN);
    else this.exchange.reply({ status: 202 });
  }

  /** Sends a notification or a server request on the stream of this POST. */
  notify(json: string): void {
    this.switchToStream();
    this.channel?.send(json);
  }

  /** Switches the reply to a stream. Sends the responses so far first. */
  switchToStream(): void {
    if (this.channel !== undefined) return;
    const channel = this.createChannel(this.core.sessions.streamId());
    for (const call of this.ownCalls()) this.recordCall(call);
    channel.attach(this.exchange, [], supportsPriming(this.session.row.protocolVersion));
    for (const json of this.responses) channel.send(json);
  }

  /** Creates a stream for the reply. It has no reader yet. */
  createChannel(streamId: string): SseChannel {
    this.channel = new SseChannel(this.core, {
      sessionId: this.session.row.sessionId,
      streamId,
      onAbandoned: () => this.abortCalls(),
    });
    return this.channel;
  }

  /** Stores a call whose reply is a stream, so that the next start can finish it. */
  recordCall(call: OpenCall): void {
    if (this.channel === undefined) return;
    const repeat = call.repeat?.();
    this.core.openCalls.put({ ...this.callKey(call), ...(repeat === undefined ? {} : { repeat }) });
  }

  /** Deletes the stored call when it is answered or needs no answer. */
  forgetCall(call: OpenCall): void {
    if (this.channel !== undefined) this.core.openCalls.remove(this.callKey(call));
  }

  /** Leaves a call to the next start. The stream ends after the last call. */
  suspend(call: OpenCall): boolean {
    if (this.channel === undefined) return false;
    this.session.detach(call);
    this.unanswered -= 1;
    if (this.unanswered === 0) this.channel.end();
    return true;
  }

  /** Aborts all calls: the client left before a stream was open, so nothing can be resumed. */
  connectionClosed(): void {
    this.abortCalls();
  }

  private abortCalls(): void {
    for (const call of this.ownCalls()) call.handleCallerGone();
  }

  private ownCalls(): readonly OpenCall[] {
    return this.session.openCalls.filter((call) => call.writer === this);
  }

  private callKey(call: OpenCall) {
    const { sessionId } = this.session.row;
    return { sessionId, streamId: this.channel?.streamId ?? '', requestId: call.id };
  }

  private replyJson(body: string, carriage: ReplyHead): void {
    const { status, headers } = carriage;
    const all = headers === undefined ? JSON_HEADERS : [...JSON_HEADERS, ...headers];
    const reply = { status, headers: all, body };
    // A batch of 50 short requests may have 50 long replies.
    if (this.isBatch || body.length >= LONG_REPLY_CHARS) {
      this.replyCompressed(reply).catch(() => this.exchange.reply(reply));
    } else this.exchange.reply(reply);
  }

  private async replyCompressed(reply: HttpReply): Promise<void> {
    this.exchange.reply(await compressReply(reply, this.exchange.request));
  }
}
