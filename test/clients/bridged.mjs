// Clients that are programs between a stdio client and an address: the newest SDK drives them.
import { createRequire } from 'node:module';
import { Client } from 'sdk-1.32/client/index.js';
import { StdioClientTransport } from 'sdk-1.32/client/stdio.js';
import { listAll, PATIENCE } from './sdk-v1.mjs';

const require = createRequire(import.meta.url);

/** Starts a program of a package as the server of a stdio client. */
export async function openBridge(program, argv) {
  const client = new Client({ name: 'bridged', version: '1' });
  const args = [require.resolve(program), ...argv];
  const env = { ...process.env };
  const command = process.execPath;
  await client.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }));
  return bridgedClient(client);
}

/** What the steps need of the client that drives a program. */
export function bridgedClient(client) {
  return {
    list: () => listAll(client),
    call: (name, given, { meta, onprogress, signal }) => {
      const params = { name, arguments: given, ...(meta && { _meta: meta }) };
      return client.callTool(params, undefined, { ...PATIENCE, onprogress, signal });
    },
    close: () => client.close(),
  };
}
