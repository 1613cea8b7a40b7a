// The modules of each version of the official SDK.

/** Imports client and server of a version. */
export async function importVersion(version) {
  if (version === 'client-2.4') {
    const [client, server, node] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/node'),
    ]);
    return {
      Client: client.Client,
      ClientTransport: client.StreamableHTTPClientTransport,
      Server: server.Server,
      ServerTransport: node.NodeStreamableHTTPServerTransport,
      list: 'tools/list',
      call: 'tools/call',
    };
  }
  const [client, transport, server, http, types] = await Promise.all([
    import(`${version}/client/index.js`),
    import(`${version}/client/streamableHttp.js`),
    import(`${version}/server/index.js`),
    import(`${version}/server/streamableHttp.js`),
    import(`${version}/types.js`),
  ]);
  return {
    Client: client.Client,
    ClientTransport: transport.StreamableHTTPClientTransport,
    Server: server.Server,
    ServerTransport: http.StreamableHTTPServerTransport,
    list: types.ListToolsRequestSchema,
    call: types.CallToolRequestSchema,
  };
}
