import type { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { PAYMENT_META } from '../../src/domain/payment/payment.ts';
import type { Payer } from './payer.ts';

const HANG_MS = 120_000;
const BOTH = 'application/json, text/event-stream';

/** One event of a stream with its id; `data` is empty on a priming event. */
export interface IdEvent {
  readonly id: string;
  readonly data: string;
}

/** A JSON-RPC message out of an event. */
export interface StreamedMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly progress?: number };
  readonly result?: { readonly structuredContent?: Readonly<Record<string, unknown>> };
  readonly error?: { readonly code: number; readonly message: string };
}

/** How a payment travels: on `/v1/mcp` as a header, on `/v2/` within the call. */
export type Carrier = 'header' | 'meta';

/** A client that streams one paid call by hand, and keeps every event that it was sent. */
export class StreamedCall {
  readonly events: IdEvent[] = [];
  private readonly carrier: Carrier;
  private session: Record<string, string> = {};

  constructor(carrier: Carrier) {
    this.carrier = carrier;
  }

  get messages(): readonly StreamedMessage[] {
    return this.events.flatMap(({ data }) => (data === '' ? [] : [JSON.parse(data)]));
  }

  get progress(): readonly number[] {
    return this.messages.flatMap(({ params }) => params?.progress ?? []);
  }

  /** Begins a session of 2025-11-25. */
  async open(url: string): Promise<void> {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'streamed', version: '1' },
    };
    const hello = await this.post(url, { id: 'init', method: 'initialize', params });
    await hello.text();
    this.session = {
      'mcp-session-id': hello.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-11-25',
    };
  }

  /** Asks for the price, pays it, and gives the answer that streams. */
  async buy(url: string, payer: Payer, call: { name: string; arguments: object }) {
    const asked = await this.post(url, { id: 'ask', method: 'tools/call', params: call });
    const { result } = (await asked.json()) as { result: { structuredContent: PaymentRequired } };
    const [offer] = result.structuredContent.accepts;
    if (offer === undefined) throw new Error('the challenge offers nothing');
    const payment = await payer.pay(offer);
    const isMeta = this.carrier === 'meta';
    const _meta = { progressToken: 'p', ...(isMeta ? { [PAYMENT_META]: payment } : {}) };
    const header = Buffer.from(JSON.stringify(payment)).toString('base64');
    const headers: Record<string, string> = isMeta ? {} : { 'payment-signature': header };
    return this.post(
      url,
      { id: 'paid', method: 'tools/call', params: { ...call, _meta } },
      headers,
    );
  }

  /** Comes back for what was missed. */
  resume(url: string): Promise<Response> {
    return fetch(url, {
      headers: {
        accept: 'text/event-stream',
        ...this.session,
        'last-event-id': this.events.at(-1)?.id ?? '',
      },
      signal: AbortSignal.timeout(HANG_MS),
    });
  }

  /** Keeps events until the stream ends, breaks, or is enough. @returns How it came to an end. */
  async read(response: Response, isEnough: () => boolean = () => false) {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk as Uint8Array, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.keep(block);
        if (isEnough()) return 'enough';
      }
      return 'ended';
    } catch {
      return 'broken';
    }
  }

  private keep(block: string): void {
    const id = /^id: (.*)$/m.exec(block)?.[1];
    const data = /^data: ?(.*)$/m.exec(block)?.[1];
    if (id !== undefined && data !== undefined) this.events.push({ id, data });
  }

  private post(url: string, message: object, headers: Record<string, string> = {}) {
    return fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: BOTH, ...this.session, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      signal: AbortSignal.timeout(HANG_MS),
    });
  }
}
