// The steps of a client of the first generation, used as is; the three programs name its version.
import { RECONNECTION, runSteps } from './steps.mjs';

/** Longer than the server waits before it answers with a job. */
export const PATIENCE = { timeout: 55_000, resetTimeoutOnProgress: true };

/**
 * Runs the steps with the modules of one version. `fetch` is another than that of Node. A version
 * that does not keep `_meta` beside a progress token pays without progress.
 */
export function runSdk({ Client, HttpTransport, StdioTransport, fetch, keepsMeta = true }) {
  return runSteps(async ({ url, command, args }) => {
    const client = new Client({ name: 'sdk', version: '1' });
    const options = { reconnectionOptions: RECONNECTION, ...(fetch && { fetch }) };
    await client.connect(
      url === undefined
        ? new StdioTransport({ command, args, stderr: 'ignore' })
        : new HttpTransport(new URL(url), options),
    );
    return {
      list: () => listAll(client),
      call: (name, given, { meta, onprogress, signal }) => {
        const params = { name, arguments: given, ...(meta && { _meta: meta }) };
        const progress = meta === undefined || keepsMeta ? { onprogress } : {};
        return client.callTool(params, undefined, { ...PATIENCE, signal, ...progress });
      },
      close: () => client.close(),
    };
  });
}

/** Every page of the list. */
export async function listAll(client) {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}
