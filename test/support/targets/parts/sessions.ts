import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type {
  Call,
  Connection,
  FrontRules,
  Observed,
  PlannedTool,
  TargetPlan,
  ToolAnswer,
  Values,
} from '../target.ts';
import { argumentFaults } from './check-arguments.ts';

/** Sessions that are held at once; a further one ends the oldest. */
const SESSIONS_MAX = 200;

/** The sessions of one running target, each with a server of the official SDK. */
export interface Sessions {
  handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>;
  close(): Promise<void>;
}

/** What all sessions share. */
export interface Shared {
  readonly plan: TargetPlan;
  readonly rules: FrontRules;
  readonly observed: Observed;
  connections: number;
  listings: number;
}

interface Held {
  readonly server: Server;
  readonly transport: StreamableHTTPServerTransport;
}

/** Opens the table of sessions. */
export function openSessions(shared: Shared): Sessions {
  const held = new Map<string, Held>();
  const end = async (id: string): Promise<void> => {
    const session = held.get(id);
    held.delete(id);
    await session?.server.close();
  };
  const begin = async (asked: string | undefined): Promise<Held> => {
    shared.connections += 1;
    const id = shared.rules.sessionId(shared.connections, asked);
    await end(id);
    const oldest = held.keys().next().value;
    if (held.size >= SESSIONS_MAX && oldest !== undefined) await end(oldest);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      enableJsonResponse: shared.connections % 2 === 0,
      onsessionclosed: (closed) => void held.delete(closed),
    });
    const session = { server: serverOf(shared, id, shared.connections), transport };
    held.set(id, session);
    await connect(session);
    return session;
  };
  return {
    async handle(request, response, body) {
      const asked = headerOf(request, 'mcp-session-id');
      const known = asked === undefined ? undefined : held.get(asked);
      if (isInitialize(body)) {
        const session = await begin(asked);
        await session.transport.handleRequest(request, response, body);
      } else if (known !== undefined) {
        await known.transport.handleRequest(request, response, body);
      } else if (asked !== undefined && shared.rules.servesUnknownSessions) {
        await serveOnce(shared, asked, { request, response, body });
      } else refuse(response, asked === undefined ? 400 : 404);
    },
    async close() {
      await Promise.all([...held.keys()].map(end));
    },
  };
}

/** A server of the SDK that answers for one session. */
export function serverOf(shared: Shared, session: string, ordinal: number): Server {
  const { plan, observed } = shared;
  const server = new Server(plan.serverInfo, {
    capabilities: { tools: { listChanged: true } },
    ...(plan.instructions === undefined ? {} : { instructions: plan.instructions }),
  });
  const connection = (): Connection => ({
    session,
    ordinal,
    calls: observed.calls.length,
    listings: shared.listings,
  });
  server.setRequestHandler(ListToolsRequestSchema, () => {
    shared.listings += 1;
    const tools = plan.tools(connection()).map((tool) => tool.definition);
    return { tools: tools as never };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tools = [...plan.tools(connection()), ...(plan.unlisted ?? [])];
    const tool = tools.find((one) => one.definition.name === params.name);
    if (tool === undefined) return resultOf({ text: 'There is no such tool.', isError: true });
    const token = extra._meta?.progressToken;
    const call: Call = {
      session,
      signal: extra.signal,
      observed,
      progress: async (progress, total) => {
        if (token === undefined) return;
        const note = { progressToken: token, progress, total };
        await extra.sendNotification({ method: 'notifications/progress', params: note });
      },
    };
    return resultOf(await runTool(shared, { tool, values: params.arguments ?? {}, call }));
  });
  return server;
}

async function runTool(
  shared: Shared,
  asked: { readonly tool: PlannedTool; readonly values: Values; readonly call: Call },
): Promise<ToolAnswer> {
  const { tool, values, call } = asked;
  const { name, inputSchema } = tool.definition;
  shared.observed.noteCall({ session: call.session, tool: name, values });
  const faults = shared.rules.checksArguments ? argumentFaults(inputSchema, values) : undefined;
  if (faults !== undefined) return { text: faults, isError: true };
  try {
    return await tool.run(values, call);
  } catch {
    return { text: 'The tool failed. Nothing was changed.', isError: true };
  }
}

function resultOf(answer: ToolAnswer): CallToolResult {
  return {
    content: [{ type: 'text', text: answer.text }],
    ...(answer.isError === undefined ? {} : { isError: answer.isError }),
    ...(answer.structured === undefined ? {} : { structuredContent: { ...answer.structured } }),
    ...(answer.meta === undefined ? {} : { _meta: { ...answer.meta } }),
  };
}

async function serveOnce(
  shared: Shared,
  session: string,
  asked: { request: IncomingMessage; response: ServerResponse; body: unknown },
): Promise<void> {
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  const once = { server: serverOf(shared, session, shared.connections), transport };
  await connect(once);
  asked.response.on('close', () => void once.server.close());
  await transport.handleRequest(asked.request, asked.response, asked.body);
}

// The SDK's own transport does not fit its interface under exact optional properties.
async function connect({ server, transport }: Held): Promise<void> {
  await server.connect(transport as Parameters<Server['connect']>[0]);
}

function refuse(response: ServerResponse, status: number): void {
  const message = status === 404 ? 'Session not found' : 'Mcp-Session-Id is missing';
  const error = { jsonrpc: '2.0', id: null, error: { code: -32001, message } };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
}

/** Whether a body begins a session. */
export function isInitialize(body: unknown): boolean {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.some((message) => (message as Values | null)?.['method'] === 'initialize');
}

/** One value of a header. */
export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
