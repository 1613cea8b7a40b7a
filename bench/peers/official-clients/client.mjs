// Lists the tools of a server and calls one, once, as a fresh client does.
// VERSION=sdk-1.32 URL=http://… TOOL=echo
import { answer } from '../../lib/cpu.mjs';
import { importVersion } from './versions.mjs';

const { VERSION, URL: url, TOOL } = process.env;
const { Client, ClientTransport } = await importVersion(VERSION);
const client = new Client({ name: 'stoa-bench', version: '1' });
await client.connect(new ClientTransport(new URL(url)));
const begun = process.cpuUsage();
const { tools } = await client.listTools();
const listed = process.cpuUsage(begun);
const result = await client.callTool({ name: TOOL, arguments: {} });
const called = process.cpuUsage(begun);
answer({
  listMs: cpuMs(listed),
  bothMs: cpuMs(called),
  tools: tools.length,
  schemas: tools.filter(({ outputSchema }) => outputSchema !== undefined).length,
  isFine: result.isError !== true && result.structuredContent !== undefined,
});
await client.close();
process.exit();

function cpuMs({ user, system }) {
  return (user + system) / 1000;
}
