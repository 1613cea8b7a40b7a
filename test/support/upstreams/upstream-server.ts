import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UPSTREAMS, type UpstreamId } from '../../../src/providers/data/upstreams.ts';
import { httpLoopback } from '../loopback.ts';
import { answerFault, clockOffMs, type UpstreamFault } from './fault-dial.ts';

/** Where the fixtures are: a folder for each upstream, a file for each answer. */
export const FIXTURES = 'test/fixtures/upstreams';

/** An answer of an upstream, with where it comes from. */
export interface Fixture {
  readonly origin: {
    readonly kind: 'recorded' | 'doc_example' | 'synthetic';
    readonly from: string;
    readonly date: string;
  };
  readonly path: string;
  readonly status: number;
  /** A text is sent as it is, all else as JSON. Times stand as `{{iso}}`, `{{s}}`, `{{ms}}` and, for numbers, `{{#ms}}` and `{{#s}}`. */
  readonly body: unknown;
}

/** Every upstream on one loopback server, each under its own prefix. */
export interface UpstreamServer {
  readonly host: string;
  readonly baseUrls: Record<UpstreamId, string>;
  /** Requests that arrived, as `kraken /0/public/Ticker?pair=XBTUSD`. */
  readonly hits: string[];
  /** Headers of the last request. */
  readonly lastHeaders: () => Readonly<Record<string, unknown>>;
  /** Turns the fault of an upstream on, or off again. */
  dial(upstream: UpstreamId, fault: UpstreamFault | undefined): void;
  /** Puts an answer in place of a fixture, or beside them. */
  answer(upstream: UpstreamId, path: string, body: unknown, status?: number): void;
  /** Sends whoever asks to another path of this server. */
  redirect(upstream: UpstreamId, path: string, to: string): void;
  close(): Promise<void>;
}

/** Reads all fixtures of an upstream. */
export function fixturesOf(upstream: string): readonly Fixture[] {
  const folder = join(FIXTURES, upstream);
  return readdirSync(folder).map(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Fixture,
  );
}

/** Makes answers that follow from what is asked; the third is the time of the upstream. */
export type MadeAnswer = (
  upstream: string,
  path: string,
  now: number,
) => { readonly status: number; readonly body: unknown } | undefined;

/** Starts the server; times in answers are those of `now`, and `made` answers before fixtures. */
export async function upstreamServer(
  now: () => number = Date.now,
  made?: MadeAnswer,
): Promise<UpstreamServer> {
  const dials = new Map<string, UpstreamFault>();
  const answers = new Map<string, { status: number; body: unknown }>();
  for (const upstream of readdirSync(FIXTURES)) {
    for (const { path, status, body } of fixturesOf(upstream)) {
      answers.set(`${upstream} ${path}`, { status, body });
    }
  }
  const told = new Map<string, { status: number; body: unknown }>();
  const redirects = new Map<string, string>();
  const hits: string[] = [];
  let headers: Readonly<Record<string, unknown>> = {};
  const server = await httpLoopback((request, response) => {
    const [, upstream = '', path = ''] = /^\/([a-z]+)(\/.*)$/.exec(request.url ?? '') ?? [];
    hits.push(`${upstream} ${path}`);
    headers = request.headers;
    const fault = dials.get(upstream);
    const name = `${upstream} ${path}`;
    const found = told.get(name) ??
      made?.(upstream, path, now() + clockOffMs(fault)) ??
      answers.get(name) ?? { status: 404, body: { error: 'none' } };
    const body = timed(found.body, now() + clockOffMs(fault));
    if (fault !== undefined) {
      answerFault(fault, response, body);
      return;
    }
    const to = redirects.get(name);
    if (to !== undefined) {
      response.writeHead(302, { location: to }).end();
      return;
    }
    const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
    const isSame = request.headers['if-none-match'] === etag;
    response.writeHead(isSame ? 304 : found.status, { 'content-type': 'application/json', etag });
    response.end(isSame ? undefined : body);
  });
  const ids = Object.keys(UPSTREAMS);
  return {
    host: server.host,
    baseUrls: Object.fromEntries(ids.map((id) => [id, `${server.url}/${id}`])) as Record<
      UpstreamId,
      string
    >,
    hits,
    lastHeaders: () => headers,
    dial: (upstream, fault) => {
      if (fault === undefined) dials.delete(upstream);
      else dials.set(upstream, fault);
    },
    answer: (upstream, path, body, status = 200) => {
      told.set(`${upstream} ${path}`, { status, body });
    },
    redirect: (upstream, path, to) => redirects.set(`${upstream} ${path}`, to),
    close: server.close,
  };
}

function timed(body: unknown, at: number): string {
  const seconds = String(Math.floor(at / 1_000));
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return text
    .replaceAll('"{{#ms}}"', String(at))
    .replaceAll('"{{#s}}"', seconds)
    .replaceAll('{{iso}}', new Date(at).toISOString())
    .replaceAll('{{s}}', seconds)
    .replaceAll('{{ms}}', String(at));
}
