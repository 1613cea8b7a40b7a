// What the data tools read in the bench: a ticker, pages and feeds, from loopback alone.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const TICKER = {
  error: [],
  result: { XXBTZUSD: { a: ['2', '1', '1'], b: ['1', '1', '1'], c: ['1.5', '1'], v: ['1', '9'] } },
};

/** Serves on 127.0.0.1; every answer comes `delayMs` after its request. */
export async function loopback(delayMs) {
  const feed = feedOf(30);
  const server = createServer(async (request, response) => {
    await sleep(delayMs);
    const isFeed = request.url.startsWith('/feed');
    response.writeHead(200, {
      'content-type': isFeed ? 'application/rss+xml' : 'application/json',
    });
    response.end(isFeed ? feed : JSON.stringify(TICKER));
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address();
  return {
    port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A feed of so many items, about 800 bytes each. */
function feedOf(items) {
  const words = 'The council approved the plan after a debate over costs and timing. '.repeat(9);
  const item = (at) =>
    `<item><title>Story ${at} of the day</title><link>https://example.org/${at}</link>` +
    `<pubDate>${new Date().toUTCString()}</pubDate><description>${words}</description></item>`;
  const all = Array.from({ length: items }, (_, at) => item(at)).join('');
  return `<rss version="2.0"><channel><title>News</title>${all}</channel></rss>`;
}

/** An article of so many paragraphs, with the furniture of a site around it. */
export function article(paragraphs) {
  const text = 'A long sentence about a subject that somebody may want to read, with commas. ';
  const links = '<li><a href="/a">Section</a></li>'.repeat(60);
  const body = `<p>${text.repeat(5)}</p>`.repeat(paragraphs);
  return (
    `<!doctype html><html lang="en"><head><title>Title</title></head><body><nav><ul>${links}</ul>` +
    `</nav><article><h1>Title</h1>${body}</article><footer>${links}</footer></body></html>`
  );
}

/** Pages that are made to hold a parser up. */
export const HOSTILE_PAGES = {
  'nested 20,000 deep': '<div>'.repeat(20_000),
  'nested to the bound': `${'<div>'.repeat(250)}<p>text</p>${'</div>'.repeat(250)}`,
  '19,000 elements': '<p>word</p>'.repeat(19_000),
  '5 MB of one attribute': `<p title="${'x'.repeat(5_000_000)}">text</p>`,
  '4 MB of open tags': '<a '.repeat(1_300_000),
  'unclosed tables': '<table><tr><td>'.repeat(80),
};
