import {
  type JSONRPCMessage,
  type MessageExtraInfo,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
} from '@modelcontextprotocol/server';
import { isObject } from '../../../domain/common/json.ts';
import type { Jobs } from '../../../domain/job/job.ts';
import { isId, type RpcId, readMessage } from '../json-rpc.ts';
import { declares, missingExtension } from './extension-tasks.ts';
import { type ListenWish, listenWish, TaskListen } from './task-listen.ts';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/**
 * A transport that adds tasks to the subscriptions of 2026-07-28. The SDK serves subscriptions on a
 * line but does not know tasks. So this replaces its acknowledgement with one that lists them.
 */
export class ListeningTransport implements Transport {
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private readonly inner: Transport;
  private readonly jobs: Jobs;
  /** Subscriptions that the SDK has not acknowledged yet. */
  private readonly wishes = new Map<RpcId, ListenWish>();
  private readonly listens = new Map<RpcId, TaskListen>();

  constructor(inner: Transport, jobs: Jobs) {
    this.inner = inner;
    this.jobs = jobs;
  }

  setProtocolVersion = (version: string): void => {
    this.inner.setProtocolVersion?.(version);
  };

  async start(): Promise<void> {
    this.inner.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
      if (this.hear(message)) this.onmessage?.(message, extra);
    };
    this.inner.onclose = () => {
      for (const listen of this.listens.values()) listen.end('silently');
      this.onclose?.();
    };
    this.inner.onerror = (error: Error) => this.onerror?.(error);
    await this.inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const wish = this.acknowledged(message);
    if (wish === undefined) {
      if (!('method' in message) && isId(message.id)) this.over(message.id);
      await this.inner.send(message);
      return;
    }
    this.wishes.delete(wish.id);
    const listen = new TaskListen(this.jobs, wish, (told) => this.tell(wish.id, told));
    this.listens.set(wish.id, listen);
    await listen.begin();
  }

  async close(): Promise<void> {
    await this.inner.close();
  }

  // Tracks subscriptions and their ends. Returns `false` when the SDK must not see the message.
  private hear(raw: JSONRPCMessage): boolean {
    const message = readMessage(raw);
    if (message?.kind === 'notification' && message.method === 'notifications/cancelled') {
      const { requestId } = message.params;
      if (isId(requestId)) this.over(requestId);
    }
    const wish = listenWish(message);
    if (wish === undefined) return true;
    if (declares(wish.capabilities)) {
      this.wishes.set(wish.id, wish);
      return true;
    }
    const { code, message: text, data } = missingExtension();
    const error = { code, message: text, data };
    this.pass({ jsonrpc: '2.0', id: wish.id, error });
    return false;
  }

  private acknowledged(message: JSONRPCMessage): ListenWish | undefined {
    if (!('method' in message) || message.method !== ACKNOWLEDGED) return undefined;
    const meta = message.params?.['_meta'];
    const id = isObject(meta) ? meta[SUBSCRIPTION_ID_META_KEY] : undefined;
    return isId(id) ? this.wishes.get(id) : undefined;
  }

  private tell(id: RpcId, message: object): void {
    this.pass(message as JSONRPCMessage);
    if (!('result' in message)) return;
    this.listens.delete(id);
    // The SDK keeps the subscription open until it is cancelled.
    const params = { requestId: id, reason: 'answered' };
    this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  }

  private over(id: RpcId): void {
    this.wishes.delete(id);
    this.listens.get(id)?.end('silently');
    this.listens.delete(id);
  }

  private pass(message: JSONRPCMessage): void {
    this.inner.send(message).catch((thrown: unknown) => {
      if (thrown instanceof Error) this.onerror?.(thrown);
    });
  }
}
