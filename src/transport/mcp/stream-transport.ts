import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { isObject } from '../../domain/json.ts';
import { boundsFault, boundsJson } from './json-bounds.ts';
import { errorJson, RPC, type RpcId, readMessage } from './json-rpc.ts';
import { hasBatches, MODERN_VERSION } from './versions.ts';

/** Longest line that is read, in bytes. */
export const LINE_BYTES_MAX = 10_485_760;
/** Most messages of one batch. */
const BATCH_MAX = 50;
const NEWLINE = 10;
const CANCELLED = 'notifications/cancelled';

/** The two ends that a client over stdio is served on. */
export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
}

interface Batch {
  readonly waiting: Set<RpcId>;
  readonly responses: string[];
}

/**
 * MCP over a pair of streams, one message a line. Beside the SDK's own it takes the batches that
 * 2025-03-26 has, and refuses a version of the sessionless family that is not spoken.
 */
export class StreamTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private readonly streams: StdioStreams;
  private readonly batches: Batch[] = [];
  private parts: Buffer[] = [];
  private size = 0;
  private version: string | undefined;
  private isClosed = false;

  constructor(streams: StdioStreams) {
    this.streams = streams;
  }

  setProtocolVersion = (version: string): void => {
    this.version = version;
  };

  async start(): Promise<void> {
    const { input, output } = this.streams;
    const end = (): void => this.end();
    input.on('data', (chunk: Buffer) => this.take(chunk));
    for (const event of ['end', 'close', 'error']) input.once(event, end);
    for (const event of ['close', 'error']) output.once(event, end);
    output.on('error', () => undefined);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const json = JSON.stringify(message);
    if (!('method' in message) && this.collect(message.id, json)) return;
    await this.write(json);
  }

  async close(): Promise<void> {
    this.end();
  }

  private take(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.parts.push(chunk.subarray(from, at));
      from = at + 1;
      const line = Buffer.concat(this.parts);
      this.parts = [];
      this.size = 0;
      this.look(line);
    }
    if (from === chunk.length) return;
    this.parts.push(chunk.subarray(from));
    this.size += chunk.length - from;
    if (this.size > LINE_BYTES_MAX) this.end();
  }

  private look(line: Buffer): void {
    const fault = boundsFault(line);
    if (fault !== undefined) {
      this.say(boundsJson(fault));
      return;
    }
    const text = line.toString('utf8').trim();
    if (text !== '') this.read(text);
  }

  private read(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.say(errorJson(null, RPC.PARSE, 'Parse error: the line is not JSON'));
      return;
    }
    if (Array.isArray(value)) this.readBatch(value);
    else this.deliver(value);
  }

  private readBatch(items: readonly unknown[]): void {
    const messages = items.map(readMessage);
    const isWhole = messages.every((message) => message !== undefined);
    const isAllowed = this.version !== undefined && hasBatches(this.version);
    if (!isAllowed || !isWhole || items.length === 0 || items.length > BATCH_MAX) {
      this.say(
        errorJson(null, RPC.INVALID_REQUEST, 'Invalid Request: not a batch of this version'),
      );
      return;
    }
    const waiting = new Set<RpcId>();
    for (const message of messages) {
      if (message?.kind === 'request') waiting.add(message.id);
    }
    if (waiting.size > 0) this.batches.push({ waiting, responses: [] });
    for (const item of items) this.deliver(item);
  }

  private deliver(value: unknown): void {
    const message = readMessage(value);
    if (message === undefined) {
      this.say(errorJson(null, RPC.INVALID_REQUEST, 'Invalid Request: not a JSON-RPC message'));
      return;
    }
    if (message.kind === 'request') {
      const meta = message.params['_meta'];
      const claimed = isObject(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined;
      if (typeof claimed === 'string' && claimed !== MODERN_VERSION) {
        this.refuseVersion(message.id, claimed);
        return;
      }
    }
    const cancelled = message.kind === 'notification' && message.method === CANCELLED;
    if (cancelled) this.forgo(message.params['requestId']);
    this.onmessage?.(message.raw as JSONRPCMessage);
  }

  // A cancelled request is never answered: its batch must not wait for it.
  private forgo(id: unknown): void {
    const batch = this.batches.find(({ waiting }) => [...waiting].some((one) => one === id));
    if (batch === undefined) return;
    batch.waiting.delete(id as RpcId);
    if (batch.waiting.size === 0) this.flush(batch);
  }

  // The SDK checks this only until a connection is bound to a version.
  private refuseVersion(id: RpcId, requested: string): void {
    const error = new UnsupportedProtocolVersionError({ supported: [MODERN_VERSION], requested });
    this.say(errorJson(id, error.code, error.message, error.data));
  }

  private collect(id: RpcId | undefined, json: string): boolean {
    if (id === undefined) return false;
    const batch = this.batches.find(({ waiting }) => waiting.has(id));
    if (batch === undefined) return false;
    batch.waiting.delete(id);
    batch.responses.push(json);
    if (batch.waiting.size === 0) this.flush(batch);
    return true;
  }

  private flush(batch: Batch): void {
    this.batches.splice(this.batches.indexOf(batch), 1);
    if (batch.responses.length > 0) this.say(`[${batch.responses.join(',')}]`);
  }

  private say(json: string): void {
    this.write(json).catch(() => undefined);
  }

  private write(json: string): Promise<void> {
    const { output } = this.streams;
    if (this.isClosed || output.write(`${json}\n`)) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        output.off('drain', done);
        output.off('close', done);
        resolve();
      };
      output.once('drain', done);
      output.once('close', done);
    });
  }

  private end(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.onclose?.();
  }
}
