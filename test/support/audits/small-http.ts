import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a small HTTP target answers what is not usual. */
export interface SmallHttp {
  readonly url: string;
  readonly origin: string;
  /** Connections that stand. */
  open(): number;
  readonly seen: string[];
  close(): Promise<void>;
}

/** Takes a request away from the usual answers: true when it has answered, or never will. */
export type Meddle = (
  request: IncomingMessage,
  response: ServerResponse,
  message: { readonly id?: unknown; readonly method?: string; readonly params?: unknown },
) => boolean;

const TOOLS = ['echo', 'surroundings', 'silent', 'flood'].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object' },
}));

/** Starts the small MCP server of the port's contract over HTTP, on a free port of loopback. */
export async function smallHttp(meddle: Meddle = () => false): Promise<SmallHttp> {
  const sockets = new Set<unknown>();
  const seen: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => {
      body += piece.toString();
    });
    request.on('end', () => {
      seen.push(`${request.method} ${request.url} ${request.headers.host} ${body.slice(0, 200)}`);
      const message = parsed(body);
      if (!meddle(request, response, message)) answer(request, response, message);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/mcp`,
    origin,
    seen,
    open: () => sockets.size,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(request: IncomingMessage, response: ServerResponse, message: Message): void {
  const { id, method, params } = message;
  if (request.method !== 'POST') end(response, 404, 'nothing here');
  else if (id === undefined) end(response, 202, '');
  else if (method === 'initialize') {
    response.setHeader('mcp-session-id', randomUUID());
    reply(response, id, {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'small', version: '1.0.0' },
    });
  } else if (method === 'tools/list') reply(response, id, { tools: TOOLS });
  else if (method === 'tools/call') call(response, id, params);
  else {
    const error = { code: -32601, message: 'unknown' };
    end(response, 200, JSON.stringify({ jsonrpc: '2.0', id, error }));
  }
}

type Message = Parameters<Meddle>[2];

function call(response: ServerResponse, id: unknown, params: unknown): void {
  const { name, arguments: values } = params as {
    name: string;
    arguments: Record<string, string>;
  };
  if (name === 'silent') return;
  if (name === 'flood') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write(`: ${'x'.repeat(65_536)}\n\n`), 1);
    response.on('close', () => clearInterval(timer));
    return;
  }
  if (name !== 'echo') {
    const error = { code: -32602, message: 'unknown tool' };
    end(response, 200, JSON.stringify({ jsonrpc: '2.0', id, error }));
    return;
  }
  // As an event stream, with a notification before the answer.
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const note = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };
  response.write(`data: ${JSON.stringify(note)}\n\n`);
  const result = { content: [{ type: 'text', text: values['text'] }] };
  response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
}

function reply(response: ServerResponse, id: unknown, result: unknown): void {
  response.setHeader('content-type', 'application/json');
  end(response, 200, JSON.stringify({ jsonrpc: '2.0', id, result }));
}

function end(response: ServerResponse, status: number, body: string): void {
  response.statusCode = status;
  response.end(body);
}

function parsed(body: string): Message {
  try {
    return JSON.parse(body) as Message;
  } catch {
    return {};
  }
}
