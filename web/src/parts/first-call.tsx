import type { JSX } from 'preact';

/** Path of the MCP endpoint on this server. */
const TOOLS_PATH = '/mcp';

/** Instructions for the first paid call. */
export function FirstCall({ what }: { readonly what: string }): JSX.Element {
  const address = `${location.origin}${TOOLS_PATH}`;
  return (
    <>
      <p>
        {what} starts with a paid call and appears here at once. Add this command to your MCP
        client, with the data directory of this server, and ask it for a decision:
      </p>
      <p>
        <code class="command">{`stoa connect ${address} --data …`}</code>
      </p>
      <p>
        On the local chain, it pays with test money automatically. The server prints the full
        command when it starts. Clients with their own wallet can call <code>{address}</code>.
      </p>
    </>
  );
}
