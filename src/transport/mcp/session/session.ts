import type { McpSessionRow } from '../../../domain/session/mcp-state.ts';
import type { OpenCall, ReplyWriter } from '../call/open-call.ts';
import type { RpcRequest } from '../json-rpc.ts';
import type { SseChannel } from '../sse-channel.ts';
import type { ClientRequests } from '../tasks/client-requests.ts';
import type { TaskFollower } from '../tasks/follower.ts';

/** The SDK server of a session that the lean front has started. */
export interface SessionSdk {
  /** Passes a request to the SDK. The writer receives its answer. */
  answer(writer: ReplyWriter, message: RpcRequest): void;
  /** Passes a notification or a response to the SDK. */
  deliver(raw: unknown): void;
  /** Ends the SDK server with its session. */
  end(): void;
}

/**
 * The live state of a session, beside its row. Kept small, because there may be many sessions and
 * most are idle.
 */
export class McpSession {
  row: McpSessionRow;
  /** The standalone stream, once the client has opened it. */
  standalone: SseChannel | undefined;
  /** The SDK server, created by the first message that needs it. */
  sdk: SessionSdk | undefined;
  /** Follows the tasks that this session started, once there is one. */
  follower: TaskFollower | undefined;
  /** Open requests of the server to the client. */
  clientRequests: ClientRequests | undefined;
  private open: OpenCall[] | undefined;

  constructor(row: McpSessionRow) {
    this.row = row;
  }

  get openCalls(): readonly OpenCall[] {
    return this.open ?? [];
  }

  /** Returns whether the session has open work and must not expire. */
  get isBusy(): boolean {
    return this.openCalls.length > 0 || this.standalone?.isConnected === true;
  }

  add(call: OpenCall): void {
    this.open ??= [];
    this.open.push(call);
    call.writer.recordCall(call);
  }

  /** Removes a call that needs no reply any more. */
  remove(call: OpenCall): void {
    if (this.detach(call)) call.writer.forgetCall(call);
  }

  /** Removes a call whose reply is still owed. Returns whether it was there. */
  detach(call: OpenCall): boolean {
    const at = this.open?.indexOf(call) ?? -1;
    if (at >= 0) this.open?.splice(at, 1);
    return at >= 0;
  }

  find(id: unknown): OpenCall | undefined {
    return this.open?.find((call) => call.id === id);
  }

  /** Returns the channel of an unanswered request, by its stream id. */
  channel(streamId: string): SseChannel | undefined {
    return this.open?.find((call) => call.writer.channel?.streamId === streamId)?.writer.channel;
  }
}
