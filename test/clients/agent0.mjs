// The SDK lists the tools of a server and pays for HTTP requests: it has no client of MCP, so that
// this program writes the messages.
import { SDK } from 'agent0-sdk';
import { run, runSteps } from './steps.mjs';

const ACCEPT = 'application/json, text/event-stream';
const sdk = new SDK({
  chainId: Number(run.network.split(':')[1]),
  rpcUrl: run.rpcUrl,
  privateKey: run.key,
});

await runSteps(
  async ({ url }) => {
    let sessionId;
    const send = async (message) => {
      const session = sessionId === undefined ? {} : { 'mcp-session-id': sessionId };
      const answer = await sdk.request({
        url,
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: ACCEPT, ...session },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        parseResponse: async (response) => {
          sessionId ??= response.headers.get('mcp-session-id');
          return lastMessage(await response.text());
        },
      });
      return answer?.x402Required === true ? answer.x402Payment.pay() : answer;
    };
    const clientInfo = { name: 'agent0', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    await send({ id: 1, method: 'initialize', params });
    await send({ method: 'notifications/initialized' });
    return {
      list: async () => {
        const agent = sdk.createAgent('stoa', 'A server under test');
        await agent.setMCP(url);
        return agent.mcpTools ?? [];
      },
      call: async (name, given) => {
        const params = { name, arguments: given };
        return (await send({ id: 2, method: 'tools/call', params })).result;
      },
      close: async () => undefined,
    };
  },
  { progress: 'no option: progress', cancel: 'no option: signal' },
);

/** The answer of a body, which is JSON or a stream of events; a notification has none. */
function lastMessage(body) {
  const events = body.split('\n').filter((line) => line.startsWith('data: {'));
  const json = events.length === 0 ? body : events.at(-1).slice('data: '.length);
  return json === '' ? undefined : JSON.parse(json);
}
