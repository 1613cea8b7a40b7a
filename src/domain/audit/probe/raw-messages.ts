/** Headers of an MCP message over HTTP. */
export const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
} as const;

/** Serialises the body of a hand-written request. */
export function createMessageBody(id: number, method: string, params: unknown = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}
