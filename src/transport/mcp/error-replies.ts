import type { HttpReply } from '../http/host.ts';
import { errorJson, RPC } from './json-rpc.ts';

const JSON_HEADERS = ['content-type', 'application/json'];

/** The error replies of the transport, each with the status and code that clients expect. */
export const ERROR_REPLIES = {
  accept: errorReply(
    406,
    RPC.REFUSED,
    'Not Acceptable: accept application/json, text/event-stream',
  ),
  acceptStream: errorReply(406, RPC.REFUSED, 'Not Acceptable: accept text/event-stream'),
  contentType: errorReply(415, RPC.REFUSED, 'Unsupported Media Type: send application/json'),
  parse: errorReply(400, RPC.PARSE, 'Parse error: the body is not JSON'),
  encoding: errorReply(400, RPC.PARSE, 'Parse error: the body is not valid UTF-8'),
  message: errorReply(400, RPC.INVALID_REQUEST, 'Invalid Request: not a JSON-RPC message'),
  sessionMissing: errorReply(400, RPC.REFUSED, 'Bad Request: Mcp-Session-Id is required'),
  sessionUnknown: errorReply(404, RPC.SESSION_UNKNOWN, 'Session not found'),
  initialized: errorReply(400, RPC.INVALID_REQUEST, 'Invalid Request: the session already exists'),
  initializeInBatch: errorReply(400, RPC.INVALID_REQUEST, 'Invalid Request: initialize in a batch'),
  batch: errorReply(400, RPC.INVALID_REQUEST, 'Invalid Request: batches are not supported'),
  batchSize: errorReply(
    400,
    RPC.INVALID_REQUEST,
    'Invalid Request: the batch is empty or too large',
  ),
  batchPayment: errorReply(
    400,
    RPC.INVALID_REQUEST,
    'Invalid Request: a batch with a payment header; use _meta["x402/payment"]',
  ),
  batchLists: errorReply(
    400,
    RPC.INVALID_REQUEST,
    'Invalid Request: a batch may have only one tools/list',
  ),
  repeatedId: errorReply(400, RPC.INVALID_REQUEST, 'Invalid Request: the id is in use'),
  eventUnknown: errorReply(400, RPC.REFUSED, 'Bad Request: unknown Last-Event-ID'),
  clientFacts: errorReply(400, RPC.PARAMS, 'Invalid params: clientInfo or capabilities'),
  sessions: errorReply(503, RPC.REFUSED, 'Too many sessions', ['retry-after', '60']),
  calls: errorReply(503, RPC.REFUSED, 'Too many calls at once', ['retry-after', '1']),
} as const;

/** Longest header value that an error repeats, in characters. */
const RECEIVED_CHARS_MAX = 40;

/** Builds the refusal of a body in another encoding than UTF-8. */
export function charsetReply(received: string): HttpReply {
  const shown = received.slice(0, RECEIVED_CHARS_MAX);
  return {
    status: 415,
    headers: JSON_HEADERS,
    body: errorJson(
      null,
      RPC.REFUSED,
      `Unsupported Media Type: charset is ${shown || 'empty'}; it must be utf-8`,
      { received: shown, allowed: ['utf-8'] },
    ),
  };
}

/** Builds the refusal of a version header that differs from the version of the session. */
export function versionReply(received: string, negotiated: string): HttpReply {
  const shown = received.slice(0, RECEIVED_CHARS_MAX);
  return {
    status: 400,
    headers: JSON_HEADERS,
    body: errorJson(
      null,
      RPC.REFUSED,
      `Bad Request: MCP-Protocol-Version is ${shown}; this session negotiated ${negotiated}`,
      { received: shown, negotiated },
    ),
  };
}

function errorReply(
  status: number,
  code: number,
  message: string,
  headers: readonly string[] = [],
): HttpReply {
  return {
    status,
    headers: [...JSON_HEADERS, ...headers],
    body: errorJson(null, code, message),
  };
}
