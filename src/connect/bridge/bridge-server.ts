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
import { errorResult } from '../../domain/tool/tool-result.ts';
import type { RpcAnswer } from '../upstream/http-session.ts';
import { type Question, refusal } from './approval.ts';
import type { Asker } from './asker.ts';
import type { CallerDeps, ClientCall } from './caller.ts';
import { withPrice } from './catalog.ts';
import { PayingCaller } from './paying-caller.ts';
import { type Teller, tellerOf } from './teller.ts';
import { WALLET_STATUS, WALLET_STATUS_ROW, walletStatus } from './wallet-status.ts';

/** Dependencies of the bridge server. */
export interface BridgeDeps extends CallerDeps {
  /** Runs `act` once the answer to a request has been delivered. */
  whenDelivered(id: string | number, act: () => void): void;
  readonly asker: Asker;
  readonly version: string;
}

const SESSION_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
/** Most questions per call: the price or the payee may change while a person decides. */
const QUESTIONS_MAX = 3;

type Raw = Readonly<Record<string, unknown>>;

/** Creates the MCP server for the client: it forwards the upstream tools and pays for them. */
export function makeBridgeServer(deps: BridgeDeps): Server {
  const caller = new PayingCaller(deps);
  const { per_call, per_day } = capsText(caller);
  const server = new Server(
    { name: 'stoa-connect', title: 'Stoa with a local wallet', version: deps.version },
    {
      capabilities: { tools: {}, resources: {} },
      supportedProtocolVersions: SESSION_VERSIONS,
      instructions: [
        'A local wallet pays for priced tools automatically, up to',
        `${per_call} per call and ${per_day} per day. ${WALLET_STATUS} returns the budget left.`,
        ownWords(deps),
      ].join(' '),
    },
  );
  server.setRequestHandler('tools/list', async (_request, { mcpReq }) => {
    const tools = await orProtocolError(deps.catalog.refresh(mcpReq.signal));
    const priced = tools.map((tool) => withPrice(tool, caller.caps()));
    const others = priced.filter(({ name }) => name !== WALLET_STATUS);
    return { tools: [...others, WALLET_STATUS_ROW] } as unknown as ListToolsResult;
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { name, arguments: args = {} } = params;
    if (name === WALLET_STATUS) return mutable(await walletStatus(deps));
    return run({ deps, caller, server, context }, name, args);
  });
  passResources(server, deps);
  return server;
}

function passResources(server: Server, deps: BridgeDeps): void {
  const pass = async <Result>(method: string, params: Raw = {}, signal: AbortSignal) =>
    ({ ...(await forward(deps, method, { params, signal })) }) as Result;
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

interface Running {
  readonly deps: BridgeDeps;
  readonly caller: PayingCaller;
  readonly server: Server;
  readonly context: ServerContext;
}

async function run(
  running: Running,
  name: string,
  args: Record<string, unknown>,
): Promise<CallToolResult | InputRequiredResult> {
  const { deps, caller, context } = running;
  const { signal } = context.mcpReq;
  const teller = tellerOf(context);
  const { id } = context.mcpReq;
  const whenDelivered = (act: () => void): void => deps.whenDelivered(id, act);
  const { pass: onProgress, say } = teller;
  const call: ClientCall = { name, args, signal, onProgress, say, whenDelivered };
  try {
    const returned = deps.asker.returned(context);
    if (returned === undefined) return await converse(running, call, teller);
    const { question, answer } = returned;
    if (answer !== 'accepted') return refused(question, answer, caller);
    return await converse(running, { ...call, accepted: question }, teller);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof ProtocolError) throw thrown;
    return mutable(errorResult(toAppError(thrown)));
  }
}

/** Makes the call; asks the person for each payment that the wallet may not make alone. */
async function converse(
  { deps, caller, server, context }: Running,
  first: ClientCall,
  teller: Teller,
): Promise<CallToolResult | InputRequiredResult> {
  let call = first;
  for (let asked = 0; ; asked += 1) {
    const outcome = await caller.call(call);
    if (outcome.kind === 'answer') return mutable(resultOf(outcome.answer));
    const { question } = outcome;
    if (asked >= QUESTIONS_MAX) return refused(question, 'accepted', caller);
    const put = await deps.asker.ask(question, { server, context, teller });
    if (put.kind === 'forward') return put.result;
    if (put.answer !== 'accepted') return refused(question, put.answer, caller);
    call = { ...call, accepted: question };
  }
}

function refused(question: Question, answer: Parameters<typeof refusal>[1], caller: PayingCaller) {
  return mutable(errorResult(refusal(question, answer, caller.caps())));
}

async function forward(
  { upstream, patience }: BridgeDeps,
  method: string,
  ask: { readonly params: Raw; readonly signal: AbortSignal },
): Promise<Raw> {
  const all = { method, ...ask, isRepeatable: true, patienceMs: patience.listMs };
  return resultOf(await orProtocolError(upstream.ask(all)));
}

function resultOf(answer: RpcAnswer): Raw {
  if ('result' in answer) return answer.result;
  const { code, message, data } = answer.error;
  throw protocolError(code, message, data);
}

async function orProtocolError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const body = errorBody(toAppError(thrown));
    throw protocolError(ProtocolErrorCode.InternalError, body.message, body);
  }
}

/** Creates the only error class whose JSON-RPC code the SDK passes on. */
function protocolError(code: number, message: string, data: unknown): ProtocolError {
  return new ProtocolError(code, message, data);
}

/** Drops `readonly` for the SDK's types; the SDK does not mutate results. */
function mutable(result: object): CallToolResult {
  return { ...result } as CallToolResult;
}

function ownWords({ upstream }: BridgeDeps): string {
  const words = upstream.hello()?.['instructions'];
  return typeof words === 'string' ? words : '';
}

function capsText(caller: PayingCaller) {
  const { perCall, perDay } = caller.caps();
  const [per_call, per_day] = [perCall, perDay].map((amount) => `$${formatUsd(BigInt(amount))}`);
  return { per_call, per_day };
}
