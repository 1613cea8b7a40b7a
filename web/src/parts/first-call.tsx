import type { JSX } from 'preact';

/** Path of the MCP endpoint on this server. */
const TOOLS_PATH = '/v1/mcp';

/** Instructions for the first paid call. */
export function FirstCall({ what }: { readonly what: string }): JSX.Element {
  const address = `${location.origin}${TOOLS_PATH}`;
  return (
    <>
      <p>
        {what} begins with a paid call, and shows up here at once. Give your MCP client this
        command, with the data directory of this server, and ask it for a decision:
      </p>
      <p>
        <code class="command">{`stoa connect ${address} --data …`}</code>
      </p>
      <p>
        On the local chain it pays with test money by itself. The server has printed the whole line
        at its start. Clients that pay on their own call <code>{address}</code>.
      </p>
    </>
  );
}
