import type { McpSessionRow } from '../../../domain/session/mcp-state.ts';
import type { ResponseWriter } from '../call/response-writer.ts';
import type { RpcId } from '../json-rpc.ts';
import type { SdkBinding } from '../sdk/sdk-binding.ts';
import type { SseChannel } from '../sse-channel.ts';
import type { ClientRequests } from '../tasks/client-requests.ts';
import type { TaskFollower } from '../tasks/follower.ts';

/** A client request without a reply so far. */
export interface OpenCall {
  readonly id: RpcId;
  readonly writer: ResponseWriter;
  /** Called when the client cancels the request. */
  cancel(): void;
  /** Called when the client has left for good. */
  handleCallerGone(): void;
  /** Returns what repeats the call after a restart, as JSON. */
  repeat?(): string | undefined;
  /** Whether it waits for a job, which continues without it. */
  readonly isJob?: boolean;
  /** Leaves the reply to the next start. Returns `false` if the client could not resume. */
  suspend?(): boolean;
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
  sdk: SdkBinding | undefined;
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
