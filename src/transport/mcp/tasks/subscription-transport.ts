import {
  type JSONRPCMessage,
  type MessageExtraInfo,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
} from '@modelcontextprotocol/server';
import { isObject } from '../../../domain/common/json.ts';
import type { Jobs } from '../../../domain/job/job.ts';
import { isId, type RpcId, readMessage } from '../json-rpc.ts';
import { declaresTasks, missingExtension } from './extension-tasks.ts';
import {
  parseSubscription,
  type SubscriptionRequest,
  TaskSubscription,
} from './task-subscription.ts';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/**
 * A transport that adds tasks to the subscriptions of 2026-07-28. The SDK serves subscriptions on a
 * line but does not know tasks. So this replaces its acknowledgement with one that lists them.
 */
export class SubscriptionTransport implements Transport {
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private readonly inner: Transport;
  private readonly jobs: Jobs;
  /** Subscriptions that the SDK has not acknowledged yet. */
  private readonly pending = new Map<RpcId, SubscriptionRequest>();
  private readonly subscriptions = new Map<RpcId, TaskSubscription>();

  constructor(inner: Transport, jobs: Jobs) {
    this.inner = inner;
    this.jobs = jobs;
  }

  setProtocolVersion = (version: string): void => {
    this.inner.setProtocolVersion?.(version);
  };

  async start(): Promise<void> {
    this.inner.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
      if (this.handleMessage(message)) this.onmessage?.(message, extra);
    };
    this.inner.onclose = () => {
      for (const listen of this.subscriptions.values()) listen.end('silently');
      this.onclose?.();
    };
    this.inner.onerror = (error: Error) => this.onerror?.(error);
    await this.inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const wish = this.findAcknowledged(message);
    if (wish === undefined) {
      if (!('method' in message) && isId(message.id)) this.endSubscription(message.id);
      await this.inner.send(message);
      return;
    }
    this.pending.delete(wish.id);
    const listen = new TaskSubscription(this.jobs, wish, (told) =>
      this.forwardReport(wish.id, told),
    );
    this.subscriptions.set(wish.id, listen);
    await listen.start();
  }

  async close(): Promise<void> {
    await this.inner.close();
  }

  // Tracks subscriptions and their ends. Returns `false` when the SDK must not see the message.
  private handleMessage(raw: JSONRPCMessage): boolean {
    const message = readMessage(raw);
    if (message?.kind === 'notification' && message.method === 'notifications/cancelled') {
      const { requestId } = message.params;
      if (isId(requestId)) this.endSubscription(requestId);
    }
    const wish = parseSubscription(message);
    if (wish === undefined) return true;
    if (declaresTasks(wish.capabilities)) {
      this.pending.set(wish.id, wish);
      return true;
    }
    const { code, message: text, data } = missingExtension();
    const error = { code, message: text, data };
    this.forward({ jsonrpc: '2.0', id: wish.id, error });
    return false;
  }

  private findAcknowledged(message: JSONRPCMessage): SubscriptionRequest | undefined {
    if (!('method' in message) || message.method !== ACKNOWLEDGED) return undefined;
    const meta = message.params?.['_meta'];
    const id = isObject(meta) ? meta[SUBSCRIPTION_ID_META_KEY] : undefined;
    return isId(id) ? this.pending.get(id) : undefined;
  }

  private forwardReport(id: RpcId, message: object): void {
    this.forward(message as JSONRPCMessage);
    if (!('result' in message)) return;
    this.subscriptions.delete(id);
    // The SDK keeps the subscription open until it is cancelled.
    const params = { requestId: id, reason: 'answered' };
    this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  }

  private endSubscription(id: RpcId): void {
    this.pending.delete(id);
    this.subscriptions.get(id)?.end('silently');
    this.subscriptions.delete(id);
  }

  private forward(message: JSONRPCMessage): void {
    this.inner.send(message).catch((thrown: unknown) => {
      if (thrown instanceof Error) this.onerror?.(thrown);
    });
  }
}
