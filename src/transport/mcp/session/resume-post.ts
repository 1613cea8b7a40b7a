import { isObject } from '../../../domain/common/json.ts';
import type { McpOpenCall } from '../../../domain/session/mcp-state.ts';
import type { HttpExchange } from '../../http/host.ts';
import { parseCall } from '../call/repeatable-call.ts';
import { ResponseWriter } from '../call/response-writer.ts';
import { ToolCallRun } from '../call/tool-call-run.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { errorJson, RPC } from '../json-rpc.ts';
import type { MissedEvents } from './missed-events.ts';
import type { McpSession } from './session.ts';

/** A stream from before a restart that its client has resumed. */
export interface ResumedPost {
  readonly exchange: HttpExchange;
  readonly session: McpSession;
  readonly streamId: string;
  /** The events after the last one that the client knows. */
  readonly missed: MissedEvents;
  /** The calls that were open on the stream. */
  readonly calls: readonly McpOpenCall[];
}

/**
 * Resumes the reply to a POST that a restart interrupted. Replays missed events, repeats the calls
 * that may be repeated, and reports the others as lost. A payment settles once, so a paid call
 * finds its job or its result.
 */
export function resumePost(core: EndpointCore, returning: ResumedPost): void {
  const { exchange, session, streamId, missed, calls } = returning;
  const writer = new ResponseWriter(core, exchange, session, calls.length);
  const channel = writer.createChannel(streamId);
  channel.attach(exchange, missed.rows, false);
  const told = { progress: lastProgress(core, returning), isMore: missed.isAhead };
  for (const call of calls) {
    const facts = parseCall(call);
    if (facts === undefined) {
      core.openCalls.remove(call);
      writer.respond(errorJson(call.requestId, RPC.INTERNAL, LOST_MESSAGE, LOST_DATA));
      continue;
    }
    const { service } = core.views.forSelection(session.row.selection);
    const carried = { carrier: 'in_band', hasLegacyPayment: facts.hasLegacyPayment } as const;
    new ToolCallRun(core, service, writer, {
      ...facts,
      callContext: carried,
      reportedBefore: told,
    }).start();
  }
}

const LOST_MESSAGE = 'The server restarted during the call, and its answer is lost.';
const LOST_DATA = {
  error: 'INTERNAL',
  retry: 'later',
  hint: 'Call again. Repeat a paid call with the same payment; you are charged once.',
};

// Progress of a stream must only increase, even across a restart.
function lastProgress(core: EndpointCore, { session, streamId }: ResumedPost): number {
  const json = core.events.last(session.row.sessionId, streamId)?.json ?? '';
  const message: unknown = json === '' ? undefined : JSON.parse(json);
  const params = isObject(message) ? message['params'] : undefined;
  const progress = isObject(params) ? params['progress'] : undefined;
  return typeof progress === 'number' ? progress : Number.NEGATIVE_INFINITY;
}
