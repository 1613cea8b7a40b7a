import { request } from 'node:http';
import ipaddr from 'ipaddr.js';
import { httpLoopback } from '../../loopback.ts';
import type { PortSide } from '../target.ts';

const FETCH_MAX_MS = 2_000;
const TEXT_MAX = 4_000;
const HOPS_MAX = 4;

/** Fetches pages for a target without ever leaving the machine. */
export interface WebFetcher {
  /** Sent to each address; the text of the last one is the answer. */
  fetch(address: string, rules: FetchRules): Promise<Fetched>;
  admit(port: number, side: PortSide): void;
  close(): Promise<void>;
}

/** What a target looks at before it fetches. */
export interface FetchRules {
  /** Whether an address is refused; `hop` is 0 for what the caller gave. */
  refuses(address: string, hop: number): boolean;
}

/** What came of a fetch. */
export interface Fetched {
  readonly status: 'fetched' | 'refused' | 'failed';
  readonly text: string;
  /** Addresses of the inside that were asked. */
  readonly inside: readonly string[];
}

interface Page {
  readonly text: string;
  readonly location?: string;
}

/** Opens a fetcher whose inside is one listener with a canary in its answers. */
export async function openWebFetcher(canary: string): Promise<WebFetcher> {
  const inside = await httpLoopback((_request, response) => {
    response.end(`{"service":"metadata","role":"app","secretKey":"${canary}"}`);
  });
  const ports = new Map<number, PortSide>();
  const load = async (url: URL, seen: string[]): Promise<Page> => {
    const side = isLoopback(url) ? ports.get(Number(url.port || 80)) : undefined;
    const isInside = side === 'internal' || (side === undefined && isInternal(url.hostname));
    if (isInside) seen.push(url.href);
    if (side !== undefined) return get(url);
    if (isInside) return get(new URL(`${inside.url}${url.pathname}${url.search}`));
    return playedPage(url);
  };
  return {
    admit: (port, side) => void ports.set(port, side),
    close: () => inside.close(),
    async fetch(address, rules) {
      const seen: string[] = [];
      let next = address;
      for (let hop = 0; hop < HOPS_MAX; hop += 1) {
        const url = parsed(next);
        if (url === undefined || isRefused(url, next, hop)) {
          return { status: 'refused', text: 'That address is not fetched.', inside: seen };
        }
        const page = await load(url, seen).catch(() => undefined);
        if (page === undefined) return { status: 'failed', text: 'No answer.', inside: seen };
        if (page.location === undefined)
          return { status: 'fetched', text: page.text, inside: seen };
        next = new URL(page.location, url).href;
      }
      return { status: 'failed', text: 'Too many redirects.', inside: seen };
      function isRefused(url: URL, given: string, hop: number): boolean {
        const isPublicPort = isLoopback(url) && ports.get(Number(url.port || 80)) === 'public';
        return !isPublicPort && rules.refuses(given, hop);
      }
    },
  };
}

/** Whether a host is one of the inside, by its name or its address in any writing. */
export function isInternal(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(name)) return ipaddr.process(name).range() !== 'unicast';
  const tails = [
    'localhost',
    'internal',
    'local',
    'localdomain',
    'localtest.me',
    'nip.io',
    'sslip.io',
  ];
  return !name.includes('.') || tails.some((tail) => name === tail || name.endsWith(`.${tail}`));
}

/** Reads an address of the web; other schemes are none. */
export function parsed(address: string): URL | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

function isLoopback(url: URL): boolean {
  return url.hostname === '127.0.0.1' || url.hostname === 'localhost' || url.hostname === '[::1]';
}

// The internet of these tests: any host answers with a page, and each can redirect.
function playedPage(url: URL): Page {
  const to = url.searchParams.get('to') ?? url.searchParams.get('url');
  if (to !== null && URL.canParse(to)) return { text: '', location: to };
  return { text: `<title>${url.hostname}</title><p>A page for examples, at ${url.pathname}.</p>` };
}

function get(url: URL): Promise<Page> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: Number(url.port || 80),
      path: url.pathname + url.search,
    };
    const asked = request({ ...options, timeout: FETCH_MAX_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        if (text.length < TEXT_MAX) text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        const { location } = response.headers;
        resolve({ text: text.slice(0, TEXT_MAX), ...(location === undefined ? {} : { location }) });
      });
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', reject);
    asked.end();
  });
}
