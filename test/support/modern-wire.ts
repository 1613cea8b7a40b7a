import type { RpcAnswer } from '../transport/mcp/wire.ts';

/** The extension that tasks of 2026-07-28 are served by. */
export const TASKS = 'io.modelcontextprotocol/tasks';
const VERSION = '2026-07-28';

/** What each request of 2026-07-28 says about its sender. */
export function envelope(capabilities: object): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  };
}

/** What a client that knows tasks declares, beside `more`. */
export function knowing(more: object = {}): object {
  return { ...more, extensions: { [TASKS]: {} } };
}

/** Speaks 2026-07-28 over HTTP by hand. */
export class ModernWire {
  private readonly url: string;
  private readonly capabilities: object;

  constructor(baseUrl: string, capabilities: object = knowing()) {
    this.url = `${baseUrl}/v2/`;
    this.capabilities = capabilities;
  }

  /** Sends a request; its name stands in the headers as the version wants it. */
  post(
    method: string,
    params: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const { _meta: meta, ...rest } = params;
    const named = params['taskId'] ?? params['name'] ?? params['uri'];
    const name = typeof named === 'string' ? { 'mcp-name': named } : undefined;
    const sent = { ...rest, _meta: { ...envelope(this.capabilities), ...(meta as object) } };
    return fetch(this.url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: sent }),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSION,
        'mcp-method': method,
        ...name,
        ...headers,
      },
      signal: AbortSignal.timeout(20_000),
    });
  }

  /** Sends a request and reads its plain answer. */
  async ask(method: string, params?: Record<string, unknown>): Promise<RpcAnswer> {
    return (await (await this.post(method, params)).json()) as RpcAnswer;
  }
}
