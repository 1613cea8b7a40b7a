/** The view of a result as an MCP App (SEP-1865). */
export const RESULT_VIEW = {
  uri: 'ui://stoa/result',
  name: 'result-view',
  description: 'Shows a result, a running panel or report, or a price to approve.',
  mimeType: 'text/html;profile=mcp-app',
} as const;
