import { Client } from 'sdk-1.10/client/index.js';
import { StdioClientTransport } from 'sdk-1.10/client/stdio.js';
import { StreamableHTTPClientTransport } from 'sdk-1.10/client/streamableHttp.js';
import { runSdk } from './sdk-v1.mjs';

await runSdk({
  Client,
  HttpTransport: StreamableHTTPClientTransport,
  StdioTransport: StdioClientTransport,
  keepsMeta: false,
});
