import {
  type CallToolResult,
  type InputRequiredResult,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { errorBody, toAppError } from '../../domain/common/error.ts';
import { formatUsd } from '../../domain/common/money.ts';
import { SERVER_ICONS } from '../../domain/manifest/icon.ts';
import { replaceResourceLinks } from '../../domain/tool/resource-links.ts';
import { isSearchTool, unwrapCall } from '../../domain/tool/search-mode.ts';
import { toErrorResult } from '../../domain/tool/tool-result.ts';
import type { RpcResponse } from '../upstream/http-session.ts';
import { type ApprovalRequest, createRefusal } from './approval.ts';
import type { ApprovalPrompter } from './approval-prompter.ts';
import type { CallerDeps, ClientCall } from './caller.ts';
import { addPriceText } from './catalog.ts';
import { PayingCaller } from './paying-caller.ts';
import { createProgressReporter, type ProgressReporter } from './progress-reporter.ts';
import { runWalletStatus, WALLET_STATUS, WALLET_STATUS_TOOL } from './wallet-status.ts';

/** Dependencies of the bridge server. */
export interface BridgeDeps extends CallerDeps {
  /** Runs `act` once the answer to a request has been delivered. */
  whenDelivered(id: string | number, act: () => void): void;
  readonly asker: ApprovalPrompter;
  /** A second session, in search mode, which lists, finds and describes the tools. */
  readonly search?: Pick<CallerDeps, 'upstream' | 'catalog'>;
  readonly version: string;
}

const SESSION_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
/** Most questions per call: the price or the payee may change while a person decides. */
const QUESTIONS_MAX = 3;

type RawParams = Readonly<Record<string, unknown>>;

/** Creates the MCP server for the client: it forwards the upstream tools and pays for them. */
export function createBridgeServer(deps: BridgeDeps): Server {
  const caller = new PayingCaller(deps);
  const { per_call, per_day } = formatCaps(caller);
  const server = new Server(
    {
      name: 'stoa-connect',
      title: 'Stoa with a local wallet',
      version: deps.version,
      icons: SERVER_ICONS,
    },
    {
      capabilities: { tools: {}, resources: {} },
      supportedProtocolVersions: SESSION_VERSIONS,
      instructions: [
        'A local wallet pays for priced tools automatically, up to',
        `${per_call} per call and ${per_day} per day. ${WALLET_STATUS} returns the budget left.`,
        upstreamInstructions(deps.search ?? deps),
      ].join(' '),
    },
  );
  server.setRequestHandler('tools/list', async (_request, { mcpReq }) => {
    const { catalog } = deps.search ?? deps;
    const tools = await withProtocolError(catalog.refresh(mcpReq.signal));
    const priced = tools.map((tool) => addPriceText(tool, caller.caps()));
    const others = priced.filter(({ name }) => name !== WALLET_STATUS);
    // Upstream tools are forwarded as received; the client validates them.
    const result: object = { tools: [...others, WALLET_STATUS_TOOL] };
    return result as ListToolsResult;
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const carried = deps.search && unwrapCall(params.name, params.arguments);
    const { name, arguments: args = {} } = carried ?? params;
    if (name === WALLET_STATUS) return toCallToolResult(await runWalletStatus(deps));
    const running = { deps, caller, server, context };
    if (deps.search === undefined || !isSearchTool(name)) {
      const result = await handleCall(running, name, args);
      return replaceResourceLinks(result, server.getNegotiatedProtocolVersion());
    }
    const { signal } = context.mcpReq;
    const inSearch = { ...deps, ...deps.search };
    const call = { params: { name, arguments: args }, signal };
    return toCallToolResult(await forwardRequest(inSearch, 'tools/call', call));
  });
  forwardResources(server, deps);
  return server;
}

function forwardResources(server: Server, deps: BridgeDeps): void {
  const pass = async <Result>(method: string, params: RawParams = {}, signal: AbortSignal) =>
    ({ ...(await forwardRequest(deps, method, { params, signal })) }) as Result;
  server.setRequestHandler('resources/list', ({ params }, { mcpReq }) =>
    pass<ListResourcesResult>('resources/list', params, mcpReq.signal),
  );
  server.setRequestHandler('resources/templates/list', ({ params }, { mcpReq }) =>
    pass<ListResourceTemplatesResult>('resources/templates/list', params, mcpReq.signal),
  );
  server.setRequestHandler('resources/read', ({ params }, { mcpReq }) =>
    pass<ReadResourceResult>('resources/read', { uri: params.uri }, mcpReq.signal),
  );
}

interface CallContext {
  readonly deps: BridgeDeps;
  readonly caller: PayingCaller;
  readonly server: Server;
  readonly context: ServerContext;
}

async function handleCall(
  running: CallContext,
  name: string,
  args: Record<string, unknown>,
): Promise<CallToolResult | InputRequiredResult> {
  const { deps, caller, context } = running;
  const { signal } = context.mcpReq;
  const reporter = createProgressReporter(context);
  const { id } = context.mcpReq;
  const whenDelivered = (act: () => void): void => deps.whenDelivered(id, act);
  const { forward: onProgress, say } = reporter;
  const call: ClientCall = { name, args, signal, onProgress, report: say, whenDelivered };
  try {
    const returned = deps.asker.readReturnedAnswer(context);
    if (returned === undefined) return await callWithApproval(running, call, reporter);
    const { question, answer } = returned;
    if (answer !== 'accepted') return refusalResult(question, answer, caller);
    return await callWithApproval(running, { ...call, approved: question }, reporter);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof ProtocolError) throw thrown;
    return toCallToolResult(toErrorResult(toAppError(thrown)));
  }
}

/** Makes the call; asks the person for each payment that the wallet may not make alone. */
async function callWithApproval(
  { deps, caller, server, context }: CallContext,
  first: ClientCall,
  reporter: ProgressReporter,
): Promise<CallToolResult | InputRequiredResult> {
  let call = first;
  for (let questionCount = 0; ; questionCount += 1) {
    const outcome = await caller.call(call);
    if (outcome.kind === 'answer') return toCallToolResult(unwrapResult(outcome.answer));
    const { question } = outcome;
    if (questionCount >= QUESTIONS_MAX) return refusalResult(question, 'accepted', caller);
    const prompted = await deps.asker.ask(question, { server, context, reporter });
    if (prompted.kind === 'forward') return prompted.result;
    if (prompted.answer !== 'accepted') return refusalResult(question, prompted.answer, caller);
    call = { ...call, approved: question };
  }
}

function refusalResult(
  question: ApprovalRequest,
  answer: Parameters<typeof createRefusal>[1],
  caller: PayingCaller,
) {
  return toCallToolResult(toErrorResult(createRefusal(question, answer, caller.caps())));
}

async function forwardRequest(
  { upstream, retryTimeouts }: BridgeDeps,
  method: string,
  ask: { readonly params: RawParams; readonly signal: AbortSignal },
): Promise<RawParams> {
  const all = { method, ...ask, isRepeatable: true, patienceMs: retryTimeouts.listMs };
  return unwrapResult(await withProtocolError(upstream.request(all)));
}

function unwrapResult(answer: RpcResponse): RawParams {
  if ('result' in answer) return answer.result;
  const { code, message, data } = answer.error;
  throw createProtocolError(code, message, data);
}

async function withProtocolError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const body = errorBody(toAppError(thrown));
    throw createProtocolError(ProtocolErrorCode.InternalError, body.message, body);
  }
}

/** Creates the only error class whose JSON-RPC code the SDK passes on. */
function createProtocolError(code: number, message: string, data: unknown): ProtocolError {
  return new ProtocolError(code, message, data);
}

/** Drops `readonly` for the SDK's types; the SDK does not mutate results. */
function toCallToolResult(result: object): CallToolResult {
  return { ...result } as CallToolResult;
}

function upstreamInstructions({ upstream }: Pick<BridgeDeps, 'upstream'>): string {
  const words = upstream.initializeResult()?.['instructions'];
  return typeof words === 'string' ? words : '';
}

function formatCaps(caller: PayingCaller) {
  const { perCall, perDay } = caller.caps();
  const [per_call, per_day] = [perCall, perDay].map((amount) => `$${formatUsd(BigInt(amount))}`);
  return { per_call, per_day };
}
