// A client of the first generation that `agents` lets pay within results.
import { withX402Client } from 'agents/x402';
import { Client } from 'sdk-1.32/client/index.js';
import { StdioClientTransport } from 'sdk-1.32/client/stdio.js';
import { StreamableHTTPClientTransport } from 'sdk-1.32/client/streamableHttp.js';
import { listAll } from './sdk-v1.mjs';
import { account, run, runSteps } from './steps.mjs';

await runSteps(async ({ url, command, args }) => {
  const plain = new Client({ name: 'agents', version: '1' });
  await plain.connect(
    url === undefined
      ? new StdioClientTransport({ command, args, stderr: 'ignore' })
      : new StreamableHTTPClientTransport(new URL(url)),
  );
  const options = { account, network: run.network, maxPaymentValue: 2_000_000n };
  const client = withX402Client(plain, options);
  return {
    list: () => listAll(client),
    call: (name, given, { onprogress, signal }) =>
      client.callTool(null, { name, arguments: given }, undefined, { onprogress, signal }),
    close: () => plain.close(),
  };
});
