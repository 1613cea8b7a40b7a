import type { RpcId } from '../json-rpc.ts';
import type { SseChannel } from '../sse-channel.ts';

/** A client request without a reply so far. */
export interface OpenCall {
  readonly id: RpcId;
  readonly writer: ReplyWriter;
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

/** The reply to one POST, as the open calls of that POST use it. */
export interface ReplyWriter {
  /** The stream of the reply, once there is one. */
  readonly channel: SseChannel | undefined;
  /** Answers one request. */
  respond(json: string): void;
  /** Skips the answer of a request that its client cancelled. */
  skip(): void;
  /** Sends a notification or a server request on the stream of this POST. */
  notify(json: string): void;
  /** Switches the reply to a stream. Sends the responses so far first. */
  switchToStream(): void;
  /** Stores a call whose reply is a stream, so that the next start can finish it. */
  recordCall(call: OpenCall): void;
  /** Deletes the stored call when it is answered or needs no answer. */
  forgetCall(call: OpenCall): void;
}
