import {
  type JSONRPCMessage,
  type MessageExtraInfo,
  Server,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { OpenCall, ReplyWriter } from '../call/open-call.ts';
import type { ExtensionCore } from '../extension.ts';
import type { RpcId, RpcRequest } from '../json-rpc.ts';
import type { McpSession, SessionSdk } from '../session/session.ts';
import { SseChannel, STANDALONE_STREAM } from '../sse-channel.ts';
import { SESSION_VERSIONS } from '../versions.ts';

/** The id of the handshake that is replayed to the SDK before any client message. */
const HANDSHAKE_ID = 'stoa:bind';

/**
 * An SDK server on a session that the lean front has started. It receives the handshake that took
 * place, and then shares the session, its streams and its ids.
 */
export class SdkBinding implements Transport, SessionSdk {
  sessionId: string;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private readonly core: ExtensionCore;
  private readonly session: McpSession;
  private readonly server: Server;
  private readonly ready: Promise<void>;
  private isReady: (() => void) | undefined;

  constructor(core: ExtensionCore, session: McpSession) {
    this.core = core;
    this.session = session;
    this.sessionId = session.row.sessionId;
    const { service, extension } = core;
    const info = { name: `stoa-${service.server}`, title: service.title, version: service.version };
    this.server = new Server(info, {
      capabilities: { tools: {}, resources: {}, ...extension?.capabilities },
      supportedProtocolVersions: [...SESSION_VERSIONS],
    });
    extension?.install(this.server);
    this.ready = this.handshake();
  }

  /** Passes a request to the SDK. The writer receives its answer. */
  answer(writer: ReplyWriter, message: RpcRequest): void {
    const call = new SdkCall(this, writer, message.id);
    this.session.add(call);
    const extra = { closeSSEStream: () => releaseStream(writer) };
    this.deliver(message.raw, extra);
  }

  /** Passes any message to the SDK, after the handshake. */
  deliver(raw: unknown, extra?: MessageExtraInfo): void {
    this.ready.then(
      () => this.onmessage?.(raw as JSONRPCMessage, extra),
      () => undefined,
    );
  }

  /** Removes a call that is answered or cancelled. */
  removeCall(call: OpenCall): void {
    this.session.remove(call);
  }

  /** Ends the SDK server with its session. */
  end(): void {
    this.server.close().catch(() => undefined);
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('method' in message) {
      const call = this.session.find(options?.relatedRequestId);
      if (call === undefined) this.standaloneChannel().send(JSON.stringify(message));
      else call.writer.notify(JSON.stringify(message));
      return;
    }
    if (message.id === HANDSHAKE_ID && this.isReady !== undefined) {
      this.isReady();
      this.isReady = undefined;
      return;
    }
    const call = this.session.find(message.id);
    if (call === undefined) return;
    this.removeCall(call);
    call.writer.respond(JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  private async handshake(): Promise<void> {
    await this.server.connect(this);
    const { protocolVersion, clientInfo, clientCapabilities: capabilities } = this.session.row;
    const handshakeDone = new Promise<void>((resolve) => {
      this.isReady = resolve;
    });
    const params = { protocolVersion, clientInfo, capabilities };
    this.onmessage?.({ jsonrpc: '2.0', id: HANDSHAKE_ID, method: 'initialize', params });
    await handshakeDone;
    this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  private standaloneChannel(): SseChannel {
    const place = { sessionId: this.sessionId, streamId: STANDALONE_STREAM };
    this.session.standalone ??= new SseChannel(this.core, place);
    return this.session.standalone;
  }
}

class SdkCall implements OpenCall {
  readonly id: RpcId;
  readonly writer: ReplyWriter;
  private readonly binding: SdkBinding;

  constructor(binding: SdkBinding, writer: ReplyWriter, id: RpcId) {
    this.binding = binding;
    this.writer = writer;
    this.id = id;
  }

  // The SDK receives the cancellation itself and does not answer.
  cancel(): void {
    this.binding.removeCall(this);
    this.writer.skip();
  }

  handleCallerGone(): void {
    const params = { requestId: this.id, reason: 'the client has disconnected' };
    this.binding.deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    this.binding.removeCall(this);
  }
}

function releaseStream(writer: ReplyWriter): void {
  writer.switchToStream();
  writer.channel?.release();
}
