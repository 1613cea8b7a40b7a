import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { errorBody, toAppError } from '../../domain/error.ts';
import type {
  PresentedPayment,
  Principal,
  Progress,
  ToolCall,
  ToolOutcome,
  ToolService,
} from '../../domain/tool.ts';
import { challengeResult, nameVersion, withSettlement } from './outcome.ts';
import { allPayments } from './presented.ts';
import { SESSION_VERSIONS } from './versions.ts';

/** Who calls over an SDK leg, and what stood in the head. */
export interface Caller {
  readonly principal: Principal;
  readonly payments: readonly PresentedPayment[];
  readonly hasLegacyPayment: boolean;
  readonly src?: string;
}

/** How long clients may keep lists, in milliseconds. */
const LIST_TTL_MS = 60_000;

/**
 * An SDK server over a tool service: stdio and 2026-07-28 stand on it. Challenges travel in band.
 *
 * @param caller - Asked for every call.
 */
export function makeServiceServer(service: ToolService, caller: () => Caller): Server {
  const kept = { ttlMs: LIST_TTL_MS, cacheScope: 'public' } as const;
  const server = new Server(
    { name: `stoa-${service.server}`, title: service.title, version: service.version },
    {
      capabilities: { tools: {}, resources: {} },
      instructions: service.instructions,
      supportedProtocolVersions: [...SESSION_VERSIONS],
      cacheHints: { 'tools/list': kept, 'resources/templates/list': kept, 'server/discover': kept },
    },
  );
  const list: ListToolsResult = JSON.parse(service.listJson);
  server.setRequestHandler('tools/list', () => list);
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: input = {} } = params;
    return wordResult(await callTool(service, { name, input }, caller(), context), caller());
  });
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: service.resourceTemplates.map((template) => ({ ...template })),
  }));
  server.setRequestHandler('resources/read', async ({ params }, context) => {
    const content = await service.readResource(params.uri);
    if (content !== undefined) return { contents: [{ ...content }] };
    const isModern = context.mcpReq.envelope !== undefined;
    const code = isModern ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.ResourceNotFound;
    throw new ProtocolError(code, 'Resource not found', { uri: params.uri });
  });
  return server;
}

async function callTool(
  service: ToolService,
  wanted: { readonly name: string; readonly input: unknown },
  caller: Caller,
  context: ServerContext,
): Promise<ToolOutcome> {
  const { _meta: meta, signal } = context.mcpReq;
  const progressToken = meta?.progressToken;
  const call: ToolCall = {
    name: wanted.name,
    arguments: wanted.input,
    payments: allPayments(caller.payments, meta),
    resourceUrl: `mcp://tool/${wanted.name}`,
    ...(caller.src === undefined ? {} : { src: caller.src }),
    principal: caller.principal,
    signal,
    ...(progressToken === undefined ? {} : { onProgress: notifier(context, progressToken) }),
  };
  try {
    return await service.call(call);
  } catch (thrown) {
    const body = errorBody(toAppError(thrown));
    throw new ProtocolError(ProtocolErrorCode.InternalError, body.message, body);
  }
}

function notifier(context: ServerContext, progressToken: string | number) {
  let last = Number.NEGATIVE_INFINITY;
  return (step: Progress): void => {
    if (step.progress <= last) return;
    last = step.progress;
    const params = { progressToken, ...step };
    // The client may have gone between two steps; the call hears that from its signal.
    context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

function wordResult(outcome: ToolOutcome, caller: Caller): CallToolResult {
  switch (outcome.kind) {
    case 'result':
      return plainResult(withSettlement(outcome.result, outcome.settlement));
    case 'payment_required': {
      const { required, settlement } = outcome;
      const named = caller.hasLegacyPayment ? nameVersion(required) : required;
      return plainResult(withSettlement(challengeResult(named), settlement));
    }
    case 'unknown_tool':
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${outcome.name}`);
  }
}

function plainResult(result: ReturnType<typeof challengeResult>): CallToolResult {
  const { content, ...rest } = result;
  return { ...rest, content: content.map((block) => ({ ...block })) } as CallToolResult;
}
