import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FrontRig } from '../../../support/front-rig.ts';
import type { Sent } from './exchange.ts';
import type { Story } from './stories.ts';

const INFO = { name: 'recorded', version: '1' };

/** Records what the official clients of both generations send in a plain session. */
export async function recordClients(rig: FrontRig): Promise<readonly Story[]> {
  const url = new URL(`${rig.baseUrl}/v1/mcp`);
  const first = new Recorder('the 1.x client');
  const older = new Client(INFO);
  const olderHttp = new StreamableHTTPClientTransport(url, { fetch: first.fetch });
  await older.connect(olderHttp as Parameters<typeof older.connect>[0]);
  await older.ping();
  await older.listTools();
  await older.callTool({ name: 'echo', arguments: { word: 'recorded' } });
  const onprogress = (): void => undefined;
  await older.callTool({ name: 'steps', arguments: { count: 4 } }, undefined, { onprogress });
  await older.listResources();
  await older.readResource({ uri: 'note://known' });
  await older.callTool({ name: 'paid' }).catch(() => undefined);
  await olderHttp.terminateSession();
  await older.close();

  const second = new Recorder('the 2.x client');
  const newer = new ModernClient(INFO, { versionNegotiation: { mode: 'legacy' } });
  const newerHttp = new ModernHttp(url, { fetch: second.fetch });
  await newer.connect(newerHttp);
  await newer.listTools();
  await newer.callTool({ name: 'echo', arguments: { word: 'recorded' } });
  await newer.callTool({ name: 'steps', arguments: { count: 4 } }, { onprogress });
  await newer.listResourceTemplates();
  await newer.callTool({ name: 'unknown' }).catch(() => undefined);
  await newerHttp.terminateSession();
  await newer.close();
  return [first.story(), second.story()];
}

class Recorder {
  private readonly name: string;
  private readonly sent: Sent[] = [];
  private version: string | undefined;

  constructor(name: string) {
    this.name = name;
  }

  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { method = 'GET', body } = init;
    // The standing stream never ends by itself: it is no exchange that can be compared.
    if (method !== 'GET') this.note(new URL(url).pathname, method, init.headers, body);
    return fetch(url, init);
  };

  story(): Story {
    return { name: this.name, version: this.version ?? '', steps: this.sent };
  }

  private note(path: string, method: string, head: RequestInit['headers'], body: unknown): void {
    const headers = Object.fromEntries(new Headers(head));
    const message = typeof body === 'string' ? JSON.parse(body) : undefined;
    if (message?.method === 'initialize') {
      this.version = message.params.protocolVersion;
      return;
    }
    const session = { ...headers, 'mcp-session-id': '$session' };
    this.sent.push({ method, path, headers: session, ...(message && { body: message }) });
  }
}
