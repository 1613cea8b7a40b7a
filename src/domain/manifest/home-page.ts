import { escapeHtml, type HtmlPage } from '../common/markup.ts';
import type { ListedTool } from '../tool/tool.ts';
import { priceText } from './agent-services.ts';
import type { ManifestFacts } from './facts.ts';

/** What the server is, in one sentence for people and models. */
export const SUMMARY =
  'Agents buy decisions, checks and market data here, and pay for each call in a dollar ' +
  'stablecoin. No account and no key are needed.';

/** A way to connect, with a text to copy. */
export interface Connection {
  readonly client: string;
  readonly text: string;
}

/** Returns how each kind of client connects. */
export function listConnections(origin: string): readonly Connection[] {
  const url = `${origin}/mcp`;
  const config = { mcpServers: { stoa: { type: 'http', url } } };
  return [
    { client: 'Address for any MCP client (streamable HTTP)', text: url },
    { client: 'Clients with a JSON configuration', text: JSON.stringify(config) },
    { client: 'Claude Code', text: `claude mcp add --transport http stoa ${url}` },
    {
      client: 'VS Code',
      text: `code --add-mcp '${JSON.stringify({ name: 'stoa', ...config.mcpServers.stoa })}'`,
    },
    {
      client: 'Clients that cannot pay: a local wallet pays, within limits',
      text: `stoa connect ${url}`,
    },
    { client: 'A2A 1.0 (JSON-RPC); clients find it by the agent card', text: `${origin}/a2a` },
    { client: 'Three tools instead of all, for a small context', text: `${url}?mode=search` },
  ];
}

/** Path of the script that adds copy buttons, the live status and the latest events. */
const SCRIPT = '/console/home.js';

/**
 * Builds the page for people: what the server is, how to connect, and the tools with their prices.
 * It is complete without the script.
 */
export function buildHomePage(facts: ManifestFacts): HtmlPage {
  const { origin, title, tools, version } = facts;
  return {
    title,
    style: STYLE,
    script: SCRIPT,
    body: [
      `<p class="lead">${escapeHtml(SUMMARY)}</p>`,
      '<p id="status" role="status"><a href="/readyz">Status of the server</a></p>',
      '<h2>Connect</h2>',
      ...listConnections(origin).map(renderConnection),
      `<h2>Tools</h2><p>Prices are per call. A call that fails on our side is not charged.</p>`,
      '<div class="wide"><table><thead><tr><th scope="col">Tool</th>',
      '<th scope="col">What you get</th><th scope="col">Price</th></tr></thead><tbody>',
      ...tools.map(renderTool),
      '</tbody></table></div>',
      '<h2>Latest events</h2><ul id="events"><li><a href="/v1/events">Public record</a></li></ul>',
      '<h2>For programs</h2>',
      `<ul>${LINKS.map(renderLink).join('')}</ul>`,
      `<p class="soft">Version ${escapeHtml(version)}</p>`,
    ],
  };
}

/** Documents for programs, with what each is. */
export const LINKS = [
  ['/.well-known/agent-services.json', 'All services with prices, limits and controls'],
  ['/.well-known/mcp/server-card.json', 'MCP server card'],
  ['/.well-known/agent-card.json', 'A2A agent card, signed'],
  ['/.well-known/agent-registration.json', 'ERC-8004 registration'],
  ['/openapi.json', 'OpenAPI of the plain HTTP endpoints'],
  ['/llms.txt', 'This page for language models'],
  ['/v1/proofs/checkpoint', 'Signed checkpoint of the proof log'],
] as const;

function renderConnection({ client, text }: Connection): string {
  return `<h3>${escapeHtml(client)}</h3><pre class="copy"><code>${escapeHtml(text)}</code></pre>`;
}

function renderLink([path, text]: (typeof LINKS)[number]): string {
  return `<li><a href="${path}">${path}</a> ${text}</li>`;
}

function renderTool(tool: ListedTool): string {
  const { name, title } = tool;
  const cells = [escapeHtml(title), escapeHtml(priceText(tool))];
  const rest = cells.map((cell) => `<td>${cell}</td>`).join('');
  return `<tr><th scope="row"><code>${escapeHtml(name)}</code></th>${rest}</tr>`;
}

/** All text colors have a contrast of at least 4.5:1 in both themes. */
const STYLE =
  ':root{color-scheme:light dark;--paper:light-dark(#fff,#12171c);' +
  '--ink:light-dark(#131920,#e4e9ee);' +
  '--soft:light-dark(#4c5864,#a3b0bd);--edge:light-dark(#d3dae1,#2b343e);' +
  '--raised:light-dark(#f3f5f7,#1c232b);--link:light-dark(#12558f,#86bff2);' +
  '--good:light-dark(#12653a,#74d09b);--bad:light-dark(#a3211a,#ff9d94)}' +
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;' +
  'background:var(--paper);color:var(--ink);overflow-wrap:anywhere}' +
  'h1{font-size:1.75rem;line-height:1.2;margin:0}h2{font-size:1.25rem;margin:2rem 0 .5rem}' +
  'h3{font-size:.875rem;margin:.75rem 0 .25rem;font-weight:600;color:var(--soft)}' +
  'a{color:var(--link)}' +
  '.lead{font-size:1.125rem;margin:.5rem 0}.soft{color:var(--soft)}' +
  '.is-good{color:var(--good);font-weight:600}.is-bad{color:var(--bad);font-weight:600}' +
  '.copy{display:flex;gap:.5rem;align-items:center;margin:0;padding:.4rem .6rem;' +
  'white-space:pre-wrap;' +
  'background:var(--raised);border:1px solid var(--edge);border-radius:.375rem}' +
  '.copy code{flex:1}button{font:inherit;font-size:.875rem;padding:.1rem .6rem;cursor:pointer;' +
  'color:var(--ink);background:var(--paper);border:1px solid var(--soft);border-radius:.25rem}' +
  'code{font-size:.875rem}.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}' +
  'th,td{text-align:left;vertical-align:top;padding:.3rem .75rem .3rem 0;' +
  'border-bottom:1px solid var(--edge)}th{font-weight:600}td:last-child{white-space:nowrap}' +
  'ul{padding-left:1.25rem;margin:.25rem 0}';
