import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { isObject } from '../../domain/common/json.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import { boundsErrorJson, checkBounds } from './json-bounds.ts';
import { errorJson, RPC, type RpcId, readMessage } from './json-rpc.ts';
import { MODERN_VERSION, supportsBatches } from './versions.ts';

/** Longest accepted line, in bytes. */
export const LINE_BYTES_MAX = 10_485_760;
/** Most messages in one batch. */
const BATCH_MAX = 50;
const NEWLINE = 10;
const CANCELLED = 'notifications/cancelled';
/** Open until the client leaves, so it never delays the end. */
const SUBSCRIPTION = 'subscriptions/listen';
/** Time limit for open requests after the input has ended, in milliseconds. */
const DRAIN_MS_MAX = 10 * MINUTE_MS;

/** The two streams of a stdio client. */
export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
}

interface Batch {
  readonly waiting: Set<RpcId>;
  readonly responses: string[];
}

/**
 * MCP over a pair of streams, one message per line. Unlike the SDK's own transport, it supports the
 * batches of 2025-03-26 and rejects unsupported versions of the sessionless family. When the input
 * ends, it closes once all earlier requests are answered.
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
  private isInputOver = false;
  /** Unanswered requests of the client, and of the server (`serverRequests`). */
  private unanswered: RpcId[] = [];
  private serverRequests: RpcId[] = [];
  private drainTimer: NodeJS.Timeout | undefined;

  constructor(streams: StdioStreams) {
    this.streams = streams;
  }

  setProtocolVersion = (version: string): void => {
    this.version = version;
  };

  /** Whether the client sends no more. It may have left. */
  get hasInputEnded(): boolean {
    return this.isInputOver;
  }

  async start(): Promise<void> {
    const { input, output } = this.streams;
    const end = (): void => this.end();
    input.on('data', (chunk: Buffer) => this.handleChunk(chunk));
    input.once('end', () => this.handleInputEnd());
    input.once('error', end);
    input.once('close', () => {
      if (!this.isInputOver) this.end();
    });
    for (const event of ['close', 'error']) output.once(event, end);
    output.on('error', () => undefined);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.deliver(message);
  }

  /** Sends a message. Resolves with whether it was written. */
  async deliver(message: JSONRPCMessage): Promise<boolean> {
    const json = JSON.stringify(message);
    if ('method' in message) {
      if ('id' in message) this.trackRequest(message.id);
      return this.write(json);
    }
    const { id } = message;
    const isWritten = this.collect(id, json) || (await this.write(json));
    // Callers that await this continue before the last answer closes everything.
    setImmediate(() => this.settle(id));
    return isWritten;
  }

  async close(): Promise<void> {
    this.end();
  }

  private handleChunk(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.parts.push(chunk.subarray(from, at));
      from = at + 1;
      const line = Buffer.concat(this.parts);
      this.parts = [];
      this.size = 0;
      this.handleLine(line);
    }
    if (from === chunk.length) return;
    this.parts.push(chunk.subarray(from));
    this.size += chunk.length - from;
    if (this.size > LINE_BYTES_MAX) this.end();
  }

  private handleLine(line: Buffer): void {
    const fault = checkBounds(line);
    if (fault !== undefined) {
      this.writeAndForget(boundsErrorJson(fault));
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
      this.writeAndForget(errorJson(null, RPC.PARSE, 'Parse error: the line is not JSON'));
      return;
    }
    if (Array.isArray(value)) this.readBatch(value);
    else this.handleMessage(value);
  }

  private readBatch(items: readonly unknown[]): void {
    const messages = items.map(readMessage);
    const isWhole = messages.every((message) => message !== undefined);
    const isAllowed = this.version !== undefined && supportsBatches(this.version);
    if (!isAllowed || !isWhole || items.length === 0 || items.length > BATCH_MAX) {
      this.writeAndForget(
        errorJson(null, RPC.INVALID_REQUEST, 'Invalid Request: not a batch of this version'),
      );
      return;
    }
    const waiting = new Set<RpcId>();
    for (const message of messages) {
      if (message?.kind === 'request') waiting.add(message.id);
    }
    if (waiting.size > 0) this.batches.push({ waiting, responses: [] });
    for (const item of items) this.handleMessage(item);
  }

  private handleMessage(value: unknown): void {
    const message = readMessage(value);
    if (message === undefined) {
      this.writeAndForget(
        errorJson(null, RPC.INVALID_REQUEST, 'Invalid Request: not a JSON-RPC message'),
      );
      return;
    }
    if (message.kind === 'request') {
      const meta = message.params['_meta'];
      const claimed = isObject(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined;
      if (typeof claimed === 'string' && claimed !== MODERN_VERSION) {
        this.rejectVersion(message.id, claimed);
        return;
      }
      if (message.method !== SUBSCRIPTION) this.unanswered.push(message.id);
    }
    if (message.kind === 'response') removeId(this.serverRequests, message.raw['id']);
    const cancelled = message.kind === 'notification' && message.method === CANCELLED;
    if (cancelled) this.dropFromBatch(message.params['requestId']);
    this.onmessage?.(message.raw as JSONRPCMessage);
    if (cancelled) this.settle(message.params['requestId']);
  }

  private handleInputEnd(): void {
    if (this.isClosed) return;
    this.isInputOver = true;
    const rest = Buffer.concat(this.parts);
    this.parts = [];
    if (rest.length > 0) this.handleLine(rest);
    for (const id of this.serverRequests.splice(0)) this.rejectRequest(id);
    this.drainTimer = setTimeout(() => this.end(), DRAIN_MS_MAX);
    this.endIfDone();
  }

  /** Tracks a request of the server. After the input has ended, nobody can answer it. */
  private trackRequest(id: RpcId): void {
    if (this.isInputOver) setImmediate(() => this.rejectRequest(id));
    else this.serverRequests.push(id);
  }

  private rejectRequest(id: RpcId): void {
    const error = { code: RPC.REFUSED, message: 'The client has closed its input.' };
    this.onmessage?.({ jsonrpc: '2.0', id, error });
  }

  private settle(id: unknown): void {
    removeId(this.unanswered, id);
    this.endIfDone();
  }

  private endIfDone(): void {
    if (this.isInputOver && this.unanswered.length === 0) this.end();
  }

  // A cancelled request is never answered, so its batch must not wait for it.
  private dropFromBatch(id: unknown): void {
    const batch = this.batches.find(({ waiting }) => [...waiting].some((one) => one === id));
    if (batch === undefined) return;
    batch.waiting.delete(id as RpcId);
    if (batch.waiting.size === 0) this.flush(batch);
  }

  // The SDK checks this only until a connection is bound to a version.
  private rejectVersion(id: RpcId, requested: string): void {
    const error = new UnsupportedProtocolVersionError({ supported: [MODERN_VERSION], requested });
    this.writeAndForget(errorJson(id, error.code, error.message, error.data));
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
    if (batch.responses.length > 0) this.writeAndForget(`[${batch.responses.join(',')}]`);
  }

  private writeAndForget(json: string): void {
    this.write(json).catch(() => undefined);
  }

  /** Resolves when the text is written, or cannot be written. */
  private write(json: string): Promise<boolean> {
    if (this.isClosed) return Promise.resolve(false);
    const { output } = this.streams;
    return new Promise((resolve) => {
      output.write(`${json}\n`, (error) => resolve(error === null || error === undefined));
    });
  }

  private end(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.drainTimer);
    this.onclose?.();
  }
}

function removeId(ids: RpcId[], id: unknown): void {
  const at = ids.indexOf(id as RpcId);
  if (at >= 0) ids.splice(at, 1);
}
