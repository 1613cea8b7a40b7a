/**
 * A page that plays a host of MCP Apps (SEP-1865): `show(html, result)` opens the view in a sandbox
 * without an origin, answers its requests, and sends it a result; `calls` has the tool calls that
 * the view asked for.
 */
export const HOST_PAGE = `<!doctype html><iframe sandbox="allow-scripts" style="width:100%;height:90vh">
</iframe><script>
window.calls = [];
window.show = (html, result) => new Promise((done) => {
  const frame = document.querySelector('iframe');
  window.calls.length = 0;
  const post = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  window.onmessage = ({ data: { id, method, params } }) => {
    if (method === 'ui/initialize') {
      post({ id, result: {
        protocolVersion: params.protocolVersion,
        hostInfo: { name: 'test', version: '1' },
        hostCapabilities: { serverTools: {}, openLinks: {} },
        hostContext: {
          theme: 'light',
          toolInfo: { tool: { name: 'procurement_council', inputSchema: {} } },
        },
      } });
    } else if (method === 'ui/notifications/initialized') {
      post({ method: 'ui/notifications/tool-input', params: { arguments: { vendor: 'Acme' } } });
      post({ method: 'ui/notifications/tool-result', params: result });
      done();
    } else if (method === 'tools/call') {
      window.calls.push(params);
      post({ id, result: { content: [{ type: 'text', text: 'Paid.' }] } });
    } else if (id !== undefined) post({ id, result: {} });
  };
  const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'";
  const meta = '<meta http-equiv="Content-Security-Policy" content="' + policy + '">';
  frame.srcdoc = html.replace('<head>', '<head>' + meta);
});
</script>`;
