import type { McpSessionRow } from '../../../domain/session/mcp-state.ts';
import type { PostLane } from '../call/post-lane.ts';
import type { RpcId } from '../json-rpc.ts';
import type { SdkBinding } from '../sdk/sdk-binding.ts';
import type { SseChannel } from '../sse-channel.ts';
import type { ClientAsks } from '../tasks/client-asks.ts';
import type { TaskFollower } from '../tasks/follower.ts';

/** A request of a client that is not answered yet. */
export interface OpenCall {
  readonly id: RpcId;
  readonly lane: PostLane;
  /** The client wants no answer any more. */
  cancel(): void;
  /** The client has gone and cannot be reached. */
  callerGone(): void;
  /** What it can be made again from after a restart, as JSON. */
  repeat?(): string | undefined;
  /** Whether it waits for a job, which goes on without it. */
  readonly isJob?: boolean;
  /** Gives the answer up to the next start; `false` where its client could not come back for it. */
  suspend?(): boolean;
}

/** What lives and ends with a session, beside it. */
export interface Attached {
  readonly isBusy: boolean;
  end(): void;
}

/**
 * What a session needs while it lives, beside its row. Small on purpose: there may be many, and
 * most are idle.
 */
export class McpSession {
  row: McpSessionRow;
  /** The standing stream, once the client has asked for it. */
  listening: SseChannel | undefined;
  /** The SDK's own server and transport, where the front stands on them altogether. */
  attached: Attached | undefined;
  /** Bound on the first message that only the SDK speaks. */
  sdk: SdkBinding | undefined;
  /** Follows the tasks that were begun here, once there is one. */
  follower: TaskFollower | undefined;
  /** Requests of ours to the client that are open. */
  asks: ClientAsks | undefined;
  private open: OpenCall[] | undefined;

  constructor(row: McpSessionRow) {
    this.row = row;
  }

  get openCalls(): readonly OpenCall[] {
    return this.open ?? [];
  }

  /** Whether something is under way, so that it must not expire. */
  get isBusy(): boolean {
    const isAttachedBusy = this.attached?.isBusy === true;
    return isAttachedBusy || this.openCalls.length > 0 || this.listening?.isConnected === true;
  }

  add(call: OpenCall): void {
    this.open ??= [];
    this.open.push(call);
    call.lane.opened(call);
  }

  /** Forgets a call that needs no answer any more. */
  remove(call: OpenCall): void {
    if (this.drop(call)) call.lane.closed(call);
  }

  /** Forgets a call whose answer is still owed. */
  drop(call: OpenCall): boolean {
    const at = this.open?.indexOf(call) ?? -1;
    if (at >= 0) this.open?.splice(at, 1);
    return at >= 0;
  }

  find(id: unknown): OpenCall | undefined {
    return this.open?.find((call) => call.id === id);
  }

  /** The channel of an unanswered request, by the id of its stream. */
  channel(streamId: string): SseChannel | undefined {
    return this.open?.find((call) => call.lane.channel?.streamId === streamId)?.lane.channel;
  }
}
