import type { McpSessionRow } from '../../domain/ports/mcp-state.ts';
import type { RpcId } from './json-rpc.ts';
import type { PostLane } from './post-lane.ts';
import type { SdkBinding } from './sdk-binding.ts';
import type { SseChannel } from './sse-channel.ts';

/** A request of a client that is not answered yet. */
export interface OpenCall {
  readonly id: RpcId;
  readonly lane: PostLane;
  /** The client wants no answer any more. */
  cancel(): void;
  /** The client has gone and cannot be reached. */
  callerGone(): void;
}

/**
 * What a session needs while it lives, beside its row. Small on purpose: there may be many, and
 * most are idle.
 */
export class McpSession {
  row: McpSessionRow;
  /** The standing stream, once the client has asked for it. */
  listening: SseChannel | undefined;
  /** Bound on the first message that only the SDK speaks. */
  sdk: SdkBinding | undefined;
  private open: OpenCall[] | undefined;

  constructor(row: McpSessionRow) {
    this.row = row;
  }

  get openCalls(): readonly OpenCall[] {
    return this.open ?? [];
  }

  /** Whether something is under way, so that it must not expire. */
  get isBusy(): boolean {
    return this.openCalls.length > 0 || this.listening?.isConnected === true;
  }

  add(call: OpenCall): void {
    this.open ??= [];
    this.open.push(call);
  }

  remove(call: OpenCall): void {
    const at = this.open?.indexOf(call) ?? -1;
    if (at >= 0) this.open?.splice(at, 1);
  }

  find(id: unknown): OpenCall | undefined {
    return this.open?.find((call) => call.id === id);
  }

  /** The channel of an unanswered request, by the id of its stream. */
  channel(streamId: string): SseChannel | undefined {
    return this.open?.find((call) => call.lane.channel?.streamId === streamId)?.lane.channel;
  }
}
