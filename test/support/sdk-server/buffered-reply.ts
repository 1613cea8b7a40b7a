import type { ToolOutcome } from '../../../src/domain/tool/tool.ts';
import { compressReply } from '../../../src/transport/http/compress-reply.ts';
import type { HttpExchange, HttpStream } from '../../../src/transport/http/host.ts';
import {
  type SerializedOutcome,
  serializeOutcome,
} from '../../../src/transport/mcp/call/outcome.ts';
import { readHeadPayments } from '../../../src/transport/mcp/call/read-payments.ts';
import type { Tickable } from '../../../src/transport/mcp/call/ticker.ts';
import type { EndpointCore } from '../../../src/transport/mcp/endpoint-core.ts';
import { readMessage } from '../../../src/transport/mcp/json-rpc.ts';
import { responseHeaders } from '../../../src/transport/mcp/sdk/web-bridge.ts';

const JSON_HEADERS = ['content-type', 'application/json'];
const PLAIN = { status: 200, headers: [] } as const;

/**
 * Buffers a stream of the SDK while it contains only the answer. An immediate answer is sent as
 * plain JSON, with the status and headers of its outcome. Everything else is sent as a stream.
 */
export class BufferedReply implements Tickable {
  /** Whether the body is a batch, whose replies form one list. */
  readonly isBatch: boolean;
  private readonly core: EndpointCore;
  private readonly exchange: HttpExchange;
  private readonly request: ReturnType<typeof readMessage>;
  private readonly startedAt: number;
  private outcome: ToolOutcome | undefined;
  private buffer = '';
  private head: Response | undefined;
  private stream: HttpStream | undefined;

  constructor(core: EndpointCore, exchange: HttpExchange, body: unknown) {
    this.core = core;
    this.exchange = exchange;
    this.isBatch = Array.isArray(body);
    this.request = readMessage(body);
    this.startedAt = core.pulse.now();
  }

  /** Records the outcome of the tool call, which decides the status. */
  setOutcome(outcome: ToolOutcome): void {
    this.outcome = outcome;
  }

  /** Forwards the reply. Resolves when it is complete or its reader has left. */
  async forward(response: Response, body: ReadableStream<Uint8Array>): Promise<void> {
    this.head = response;
    // A GET opens its stream at once. A POST reply may still become plain JSON.
    if (this.exchange.request.method === 'GET') this.openStream();
    this.core.pulse.add(this);
    const reader = body.getReader();
    const decoder = new TextDecoder();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        if (this.append(decoder.decode(value, { stream: true }))) continue;
        await reader.cancel();
        return;
      }
      await this.finish();
    } finally {
      this.core.pulse.remove(this);
    }
  }

  tick(now: number): void {
    // After this time, a challenge travels in the stream.
    if (now - this.startedAt >= this.core.limits.upgradeAfterMs) this.openStream();
  }

  // Returns whether the reader continues to read.
  private append(text: string): boolean {
    if (this.stream !== undefined) return this.stream.write(text);
    this.buffer += text;
    if (parseMessages(this.buffer).some(({ method }) => method !== undefined)) this.openStream();
    return this.exchange.isOpen || this.stream !== undefined;
  }

  private openStream(): void {
    if (this.stream !== undefined || this.head === undefined) return;
    const { head, buffer } = this;
    this.stream = this.exchange.stream({ status: head.status, headers: responseHeaders(head) });
    this.buffer = '';
    if (buffer !== '') this.stream?.write(buffer);
  }

  private async finish(): Promise<void> {
    if (this.stream !== undefined) {
      this.stream.end();
      return;
    }
    const messages = parseMessages(this.buffer);
    const session = this.head?.headers.get('mcp-session-id');
    const isFirst = this.request?.kind === 'request' && this.request.method === 'initialize';
    const { status, headers } = this.isBatch ? PLAIN : this.statusAndHeaders();
    const own = isFirst && session ? ['mcp-session-id', session] : [];
    const texts = messages.map((message) => JSON.stringify(message));
    if (texts.length === 0) this.exchange.reply({ status: 202 });
    else {
      const body = this.isBatch ? `[${texts.join(',')}]` : (texts[0] ?? '');
      const reply = { status, headers: [...JSON_HEADERS, ...own, ...headers], body };
      this.exchange.reply(await compressReply(reply, this.exchange.request));
    }
  }

  private statusAndHeaders(): Pick<SerializedOutcome, 'status' | 'headers'> {
    const { outcome, request } = this;
    if (outcome === undefined || request?.kind !== 'request') return PLAIN;
    const { hasLegacyPayment } = readHeadPayments(this.exchange.request);
    return serializeOutcome(request.id, outcome, { carrier: this.core.carrier, hasLegacyPayment });
  }
}

/** Returns the complete messages in a text of events. */
function parseMessages(text: string): readonly Record<string, unknown>[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.flatMap((block) => {
    const line = block.split('\n').find((one) => one.startsWith('data:'));
    const data = line?.slice('data:'.length).trim() ?? '';
    return data === '' ? [] : [JSON.parse(data)];
  });
}
