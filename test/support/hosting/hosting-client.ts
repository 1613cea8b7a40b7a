import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { until } from '../real-server.ts';
import type { HostingServer } from './real-hosting.ts';

const LIVE_MS = 240_000;
const OVER = ['live', 'build_failed', 'pre_deploy_failed', 'update_failed', 'canceled'];

/** An MCP client of a hosting server, in its first workspace. */
export interface HostingClient extends AsyncDisposable {
  readonly workspaceId: string;
  /** Calls a tool in the workspace. A refusal is thrown with its text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  call(name: string, args?: object): Promise<any>;
  /** Creates a web service and waits until it is live. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  deployed(args: object): Promise<any>;
  /** Waits for the end of a deploy, and gives its status. */
  over(serviceId: string, deployId: string): Promise<string>;
}

/** What makes a node program a service. */
export function program(start = 'exec node server.mjs') {
  return { runtime: 'node', buildCommand: 'true', startCommand: start };
}

/** Connects, with the operator's token unless another is given. */
export async function hostingClient(
  { server, token }: Pick<HostingServer, 'server' | 'token'>,
  other?: string,
): Promise<HostingClient> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${other ?? token}` } };
  const url = new URL(server.ready.hosting_mcp ?? '');
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  const ask = async (name: string, args: object) => {
    const answer = await client.callTool({ name, arguments: { ...args } });
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const { isError, content, structuredContent } = answer as any;
    if (isError === true) throw new Error(`${name}: ${content[0].text}`);
    return structuredContent;
  };
  const { workspaces } = await ask('list_workspaces', {});
  const workspaceId: string = workspaces[0].id;
  const call = (name: string, args: object = {}) => ask(name, { workspaceId, ...args });
  const over = async (serviceId: string, deployId: string): Promise<string> => {
    let status = '';
    await until(async () => {
      ({ status } = (await call('get_deploy', { serviceId, deployId })).deploy);
      return OVER.includes(status);
    }, LIVE_MS);
    return status;
  };
  return {
    workspaceId,
    call,
    over,
    deployed: async (args) => {
      const created = await call('create_web_service', args);
      const status = await over(created.service.id, created.deployId);
      if (status !== 'live') throw new Error(`the deploy is ${status}`);
      return created;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
