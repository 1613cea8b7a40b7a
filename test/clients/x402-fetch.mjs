// The fetch of the transport pays: the client itself knows nothing of payments.
import { wrapFetchWithPayment } from '@x402/fetch';
import { Client } from 'sdk-1.32/client/index.js';
import { StdioClientTransport } from 'sdk-1.32/client/stdio.js';
import { StreamableHTTPClientTransport } from 'sdk-1.32/client/streamableHttp.js';
import { runSdk } from './sdk-v1.mjs';
import { payer } from './steps.mjs';

await runSdk({
  Client,
  HttpTransport: StreamableHTTPClientTransport,
  StdioTransport: StdioClientTransport,
  fetch: wrapFetchWithPayment(fetch, payer()),
});
// After a reconnection the process stays open, although its client is closed.
process.exit();
