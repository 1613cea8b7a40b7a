import type { HttpReply } from '../http/host.ts';
import { errorJson, RPC } from './json-rpc.ts';

/** The error replies of the transport, each with the status and code that clients expect. */
export const REFUSALS = {
  accept: refusal(406, RPC.REFUSED, 'Not Acceptable: accept application/json, text/event-stream'),
  acceptStream: refusal(406, RPC.REFUSED, 'Not Acceptable: accept text/event-stream'),
  contentType: refusal(415, RPC.REFUSED, 'Unsupported Media Type: send application/json'),
  parse: refusal(400, RPC.PARSE, 'Parse error: the body is not JSON'),
  message: refusal(400, RPC.INVALID_REQUEST, 'Invalid Request: not a JSON-RPC message'),
  sessionMissing: refusal(400, RPC.REFUSED, 'Bad Request: Mcp-Session-Id is required'),
  sessionUnknown: refusal(404, RPC.SESSION_UNKNOWN, 'Session not found'),
  version: refusal(400, RPC.REFUSED, 'Bad Request: unsupported MCP-Protocol-Version'),
  initialized: refusal(400, RPC.INVALID_REQUEST, 'Invalid Request: the session already exists'),
  initializeInBatch: refusal(400, RPC.INVALID_REQUEST, 'Invalid Request: initialize in a batch'),
  batch: refusal(400, RPC.INVALID_REQUEST, 'Invalid Request: batches are not supported'),
  batchSize: refusal(400, RPC.INVALID_REQUEST, 'Invalid Request: the batch is empty or too large'),
  batchPayment: refusal(
    400,
    RPC.INVALID_REQUEST,
    'Invalid Request: a batch with a payment header; use _meta["x402/payment"]',
  ),
  batchLists: refusal(
    400,
    RPC.INVALID_REQUEST,
    'Invalid Request: a batch may have only one tools/list',
  ),
  repeatedId: refusal(400, RPC.INVALID_REQUEST, 'Invalid Request: the id is in use'),
  eventUnknown: refusal(400, RPC.REFUSED, 'Bad Request: unknown Last-Event-ID'),
  clientFacts: refusal(400, RPC.PARAMS, 'Invalid params: clientInfo or capabilities'),
  sessions: refusal(503, RPC.REFUSED, 'Too many sessions', ['retry-after', '60']),
  calls: refusal(503, RPC.REFUSED, 'Too many calls at once', ['retry-after', '1']),
} as const;

function refusal(
  status: number,
  code: number,
  message: string,
  headers: readonly string[] = [],
): HttpReply {
  return {
    status,
    headers: ['content-type', 'application/json', ...headers],
    body: errorJson(null, code, message),
  };
}
