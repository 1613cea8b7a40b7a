import type { ToolOutcome } from '../../../domain/tool/tool.ts';
import type { HttpExchange, HttpStream } from '../../http/host.ts';
import { packReply } from '../../http/pack-reply.ts';
import { type WordedOutcome, wordOutcome } from '../call/outcome.ts';
import { headPayments } from '../call/presented.ts';
import type { Beating } from '../call/pulse.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { readMessage } from '../json-rpc.ts';
import { headersOf } from '../sdk/web-bridge.ts';

const JSON_HEADERS = ['content-type', 'application/json'];
const PLAIN = { status: 200, headers: [] } as const;
const ID = 'id: ';

/**
 * A stream of the SDK that is held back while it tells nothing but the answer: what is answered at
 * once goes out as plain JSON, with the status and headers of its outcome, and everything else as
 * the stream that it is.
 */
export class HeldAnswer implements Beating {
  /** Several messages in one body: their answers are one list. */
  readonly isBatch: boolean;
  private readonly core: EndpointCore;
  private readonly exchange: HttpExchange;
  private readonly request: ReturnType<typeof readMessage>;
  private readonly startedAt: number;
  private outcome: ToolOutcome | undefined;
  private held = '';
  private head: Response | undefined;
  private stream: HttpStream | undefined;
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private streamName: string | undefined;

  constructor(core: EndpointCore, exchange: HttpExchange, body: unknown) {
    this.core = core;
    this.exchange = exchange;
    this.isBatch = Array.isArray(body);
    this.request = readMessage(body);
    this.startedAt = core.pulse.now();
  }

  /** Which stream of the session this is, as far as its events have said. */
  get streamId(): string | undefined {
    return this.streamName;
  }

  /** Reads no more: another connection has taken the stream. */
  async leave(): Promise<void> {
    await this.reader?.cancel();
  }

  /** Takes the outcome of the tool call, for its status. */
  heard(outcome: ToolOutcome): void {
    this.outcome = outcome;
  }

  /** Passes the answer on; resolves when it is complete or its reader has gone. */
  async pass(response: Response, body: ReadableStream<Uint8Array>): Promise<void> {
    this.head = response;
    // A stream that was asked for opens at once; an answer may still become a plain one.
    if (this.exchange.request.method === 'GET') this.open();
    this.core.pulse.add(this);
    const reader = body.getReader();
    this.reader = reader;
    const decoder = new TextDecoder();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        if (this.take(decoder.decode(value, { stream: true }))) continue;
        await reader.cancel();
        return;
      }
      await this.finish();
    } finally {
      this.core.pulse.remove(this);
    }
  }

  beat(now: number): void {
    // A challenge that takes longer than this travels in the stream.
    if (now - this.startedAt >= this.core.limits.upgradeAfterMs) this.open();
  }

  // Answers whether somebody reads on.
  private take(text: string): boolean {
    this.streamName ??= readStreamName(text);
    if (this.stream !== undefined) return this.stream.write(text);
    this.held += text;
    if (messagesIn(this.held).some(({ method }) => method !== undefined)) this.open();
    return this.exchange.isOpen || this.stream !== undefined;
  }

  private open(): void {
    if (this.stream !== undefined || this.head === undefined) return;
    const { head, held } = this;
    this.stream = this.exchange.stream({ status: head.status, headers: headersOf(head) });
    this.held = '';
    if (held !== '') this.stream?.write(held);
  }

  private async finish(): Promise<void> {
    if (this.stream !== undefined) {
      this.stream.end();
      return;
    }
    const messages = messagesIn(this.held);
    const session = this.head?.headers.get('mcp-session-id');
    const isFirst = this.request?.kind === 'request' && this.request.method === 'initialize';
    const { status, headers } = this.isBatch ? PLAIN : this.worded();
    const own = isFirst && session ? ['mcp-session-id', session] : [];
    const texts = messages.map((message) => JSON.stringify(message));
    if (texts.length === 0) this.exchange.reply({ status: 202 });
    else {
      const body = this.isBatch ? `[${texts.join(',')}]` : (texts[0] ?? '');
      const reply = { status, headers: [...JSON_HEADERS, ...own, ...headers], body };
      this.exchange.reply(await packReply(reply, this.exchange.request));
    }
  }

  private worded(): Pick<WordedOutcome, 'status' | 'headers'> {
    const { outcome, request } = this;
    if (outcome === undefined || request?.kind !== 'request') return PLAIN;
    const { hasLegacyPayment } = headPayments(this.exchange.request);
    return wordOutcome(request.id, outcome, { carrier: this.core.carrier, hasLegacyPayment });
  }
}

/** The stream that an event in a text names; behind it stands the number of the event. */
function readStreamName(text: string): string | undefined {
  const line = text.split('\n').find((one) => one.startsWith(ID));
  return line?.slice(ID.length, line.lastIndexOf(':'));
}

/** The messages in a text of events; what is not complete yet does not count. */
function messagesIn(text: string): readonly Record<string, unknown>[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.flatMap((block) => {
    const line = block.split('\n').find((one) => one.startsWith('data:'));
    const data = line?.slice('data:'.length).trim() ?? '';
    return data === '' ? [] : [JSON.parse(data)];
  });
}
