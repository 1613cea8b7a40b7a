import type { ServerResponse } from 'node:http';
import { type Meddled, meddlingTarget } from '../parts/meddling.ts';

const NOTES = 20_000;
const TOOLS = 20_000;
const TEXT_CHARACTERS = 12 * 1024 * 1024;

/** What comes in masses; each is bounded, at about twelve megabytes. */
const WAYS: readonly ((meddled: Meddled) => boolean)[] = [
  ({ method, response }) => {
    if (method !== 'tools/call') return false;
    const data = { level: 'info', data: 'x'.repeat(500) };
    const note = { jsonrpc: '2.0', method: 'notifications/message', params: data };
    streamNotes(response, `event: message\ndata: ${JSON.stringify(note)}\n\n`);
    return true;
  },
  ({ method, id, response }) => {
    if (method !== 'tools/list') return false;
    const inputSchema = { type: 'object' };
    const description = 'One of very many.'.repeat(30);
    const tools = Array.from({ length: TOOLS }, (_one, index) => ({
      name: `tool_${index}`,
      description,
      inputSchema,
    }));
    answer(response, id, { tools });
    return true;
  },
  // There is always another page.
  ({ method, id, count, response }) => {
    if (method !== 'tools/list') return false;
    const tools = [
      { name: `page_${count}`, description: 'More.', inputSchema: { type: 'object' } },
    ];
    answer(response, id, { tools, nextCursor: `page-${count}` });
    return true;
  },
  ({ method, id, response }) => {
    if (method !== 'tools/call') return false;
    answer(response, id, { content: [{ type: 'text', text: 'y'.repeat(TEXT_CHARACTERS) }] });
    return true;
  },
];

/** It answers with more than anybody wants to keep. */
export const floods = meddlingTarget({
  name: 'floods',
  category: 'ASI08',
  fault: 'Answers are far too many or far too large.',
  meddler: (variation) => variation.pick('floods.way', WAYS),
});

function answer(response: ServerResponse, id: unknown, result: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

// As fast as the other side reads, and not forever.
function streamNotes(response: ServerResponse, note: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let left = NOTES;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(note)) {
        response.once('drain', more);
        return;
      }
    }
    if (left === 0) response.end();
  };
  more();
}
