import {
  type CallToolResult,
  type ProtocolEra,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { errorBody, toAppError } from '../../../domain/common/error.ts';
import { readTraceparent } from '../../../domain/common/trace.ts';
import { SERVER_ICONS } from '../../../domain/manifest/icon.ts';
import { replaceResourceLinks } from '../../../domain/tool/resource-links.ts';
import type {
  Grant,
  PresentedPayment,
  Principal,
  Progress,
  ToolCall,
  ToolOutcome,
  ToolService,
  ToolSession,
} from '../../../domain/tool/tool.ts';
import type { ToolResult } from '../../../domain/tool/tool-result.ts';
import { isJobCall } from '../../../tools/payment/repeatable.ts';
import { challengeResult } from '../call/challenge-result.ts';
import { addVersionHint, unknownToolMessage, withSettlement } from '../call/outcome.ts';
import {
  declaresPayments,
  paymentCapabilities,
  toPaymentRequired,
} from '../call/payment-extension.ts';
import type { RateLimitRejection } from '../call/rate-limiter.ts';
import { rateError } from '../call/rate-limiter.ts';
import { addMetaPayment } from '../call/read-payments.ts';
import { capabilitiesOf, ExtensionTasks } from '../tasks/extension-tasks.ts';
import { SdkSessionTasks } from '../tasks/sdk-session-tasks.ts';
import type { ServedTasks } from '../tasks/served-tasks.ts';
import { taskListJson } from '../tool-listing.ts';
import { SESSION_VERSIONS, supportsTasks } from '../versions.ts';

/** The caller of an SDK server, with the facts from the request head. */
export interface Caller {
  readonly principal: Principal;
  readonly payments: readonly PresentedPayment[];
  readonly hasLegacyPayment: boolean;
  /** Absent where the transport has no sessions. */
  readonly session?: ToolSession;
  readonly grant?: Grant;
  readonly src?: string;
  /** The trace context header. */
  readonly traceparent?: string;
  /** The resource that a challenge names. Default: `mcp://tool/<name>`. */
  readonly resourceUrl?: string;
  /** Returns the rejection of a call over its rate limit. */
  readonly checkRate?: (tool: string) => RateLimitRejection | undefined;
  /** Returns the result of `tools/list` as JSON, where it is paged. */
  readonly list?: (cursor: unknown) => string | undefined;
  /** Ends the wait for a job. The call then returns the current job state. */
  readonly ending?: AbortSignal;
  /** Receives every outcome before it is serialised, so that HTTP can derive its status. */
  readonly onOutcome?: (outcome: ToolOutcome) => void;
}

/** Cache time of lists for clients, in milliseconds. */
const LIST_TTL_MS = 60_000;

/**
 * Creates an SDK server for a tool service, which stdio and 2026-07-28 use. Challenges are sent in
 * band.
 *
 * @param callerOf - Called for every call, with the HTTP request that carried it.
 * @param cacheScope - Whether lists are the same for all callers, or depend on a selection.
 * @param era - `modern` for 2026-07-28, whose tasks are an extension.
 */
export function createServiceServer(
  service: ToolService,
  callerOf: (request: Request | undefined) => Caller,
  cacheScope: 'public' | 'private' = 'public',
  era: ProtocolEra = 'legacy',
): Server {
  const tasks = createServedTasks(service, era);
  const cacheHint = { ttlMs: LIST_TTL_MS, cacheScope } as const;
  const server = new Server(
    {
      name: `stoa-${service.server}`,
      title: service.title,
      version: service.version,
      icons: SERVER_ICONS,
    },
    {
      capabilities: { tools: {}, resources: {}, ...capabilitiesFor(service, tasks, era) },
      instructions: service.instructions,
      supportedProtocolVersions: [...SESSION_VERSIONS],
      cacheHints: {
        'tools/list': cacheHint,
        'resources/templates/list': cacheHint,
        'server/discover': cacheHint,
      },
    },
  );
  tasks?.install(server);
  server.setRequestHandler('tools/list', ({ params }, context) => {
    const version = server.getNegotiatedProtocolVersion() ?? '';
    const { list = unpagedList(service, version) } = callerOf(context.http?.req);
    const listed = list(params?.cursor);
    if (listed !== undefined) return JSON.parse(listed);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid params: unknown cursor');
  });
  server.setRequestHandler('tools/call', async ({ params: received }, context) => {
    // In search mode, `call_tool` stands for the call of another tool from here on.
    const params = { ...received, ...service.unwrap?.(received.name, received.arguments) };
    const { name, arguments: input = {} } = params;
    const caller = callerOf(context.http?.req);
    const refused = caller.checkRate?.(name);
    if (refused !== undefined) {
      const { code, message, data } = rateError(refused);
      throw new ProtocolError(code, message, data);
    }
    const asTask = tasks?.runsAsTask(params, context) === true;
    const outcome = await callTool(service, { name, input, asTask }, caller, context);
    caller.onOutcome?.(outcome);
    if (asTask && outcome.kind === 'result') return tasks.toResult(outcome, context);
    const clientCapabilities = era === 'modern' ? capabilitiesOf(context) : {};
    return replaceResourceLinks(
      toToolResult(outcome, caller, clientCapabilities),
      server.getNegotiatedProtocolVersion(),
    );
  });
  server.setRequestHandler('resources/list', () => ({
    resources: (service.resources ?? []).map((resource) => ({ ...resource })),
  }));
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

function capabilitiesFor(
  service: ToolService,
  tasks: ServedTasks | undefined,
  era: ProtocolEra,
): ServerCapabilities {
  const { extensions, ...others } = tasks?.capabilities ?? {};
  const offered = { ...extensions, ...(era === 'modern' ? paymentCapabilities(service) : {}) };
  return Object.keys(offered).length === 0 ? others : { ...others, extensions: offered };
}

/** Returns everything on one page, so every cursor is invalid. */
function unpagedList(service: ToolService, version: string): NonNullable<Caller['list']> {
  return (cursor) => {
    if (cursor !== undefined) return undefined;
    return supportsTasks(version) ? taskListJson(service) : service.listJson;
  };
}

async function callTool(
  service: ToolService,
  requested: { readonly name: string; readonly input: unknown; readonly asTask: boolean },
  caller: Caller,
  context: ServerContext,
): Promise<ToolOutcome> {
  const { _meta: meta, signal } = context.mcpReq;
  const progressToken = meta?.progressToken;
  const traceparent = readTraceparent(caller.traceparent, meta);
  const isJob = isJobCall(listedTool(service, requested.name));
  const until = joinSignals(signal, isJob ? caller.ending : undefined);
  const call: ToolCall = {
    name: requested.name,
    arguments: requested.input,
    payments: addMetaPayment(caller.payments, meta),
    resourceUrl: caller.resourceUrl ?? `mcp://tool/${requested.name}`,
    ...(caller.src === undefined ? {} : { src: caller.src }),
    ...(requested.asTask ? { asTask: true } : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
    principal: caller.principal,
    ...(caller.session === undefined ? {} : { session: caller.session }),
    ...(caller.grant === undefined ? {} : { grant: caller.grant }),
    signal: until.signal,
    ...(progressToken === undefined
      ? {}
      : { onProgress: createProgressNotifier(context, progressToken) }),
  };
  try {
    return await service.call(call);
  } catch (thrown) {
    const body = errorBody(toAppError(thrown));
    throw new ProtocolError(ProtocolErrorCode.InternalError, body.message, body);
  } finally {
    until.release();
  }
}

function listedTool({ tools, allTools = tools }: ToolService, name: string) {
  return allTools.find((tool) => tool.name === name);
}

function createProgressNotifier(context: ServerContext, progressToken: string | number) {
  let last = Number.NEGATIVE_INFINITY;
  return (step: Progress): void => {
    if (step.progress <= last) return;
    last = step.progress;
    const params = { progressToken, ...step };
    // The client may leave between two steps. Its call is then aborted by the signal.
    context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

function toToolResult(
  outcome: ToolOutcome,
  caller: Caller,
  clientCapabilities: Readonly<Record<string, unknown>>,
): CallToolResult {
  switch (outcome.kind) {
    case 'result':
      return plainResult(withSettlement(outcome.result, outcome.settlement));
    case 'payment_required': {
      const { required, settlement } = outcome;
      const named = caller.hasLegacyPayment ? addVersionHint(required) : required;
      if (declaresPayments(clientCapabilities)) {
        return plainResult(toPaymentRequired(named, settlement));
      }
      return plainResult(withSettlement(challengeResult(named), settlement));
    }
    case 'unknown_tool':
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownToolMessage(outcome));
  }
}

function plainResult(result: ToolResult): CallToolResult {
  return { ...result, content: result.content.map((block) => ({ ...block })) } as CallToolResult;
}

/** Returns the tasks of a service for one era, or `undefined` when no tool runs as a job. */
function createServedTasks(service: ToolService, era: ProtocolEra): ServedTasks | undefined {
  const { jobs } = service;
  if (jobs === undefined) return undefined;
  return era === 'modern' ? new ExtensionTasks(jobs) : new SdkSessionTasks(service, jobs);
}

/** A signal that aborts with the first of several, and the function that detaches it. */
interface JoinedSignal {
  readonly signal: AbortSignal;
  release(): void;
}

/** Joins signals. Some may outlive the listener, so release the result when done. */
function joinSignals(...signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const joined = new AbortController();
  const abort = (): void => joined.abort();
  for (const signal of signals) {
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: joined.signal,
    release: () => {
      for (const signal of signals) signal?.removeEventListener('abort', abort);
    },
  };
}
