import { extname } from 'node:path';
import { mimes } from 'mrmime';
import { findField } from './fields.ts';
import { formatOwnResponse } from './forward.ts';
import type { RequestHead } from './head.ts';
import { findPublished, openPublished, type PublishedFile } from './published-file.ts';
import { type ClientHandle, type RequestHandler, STALL_MS } from './request-handler.ts';

/** Types that the package lacks, or names differently. */
const OWN_TYPES: ReadonlyMap<string, string> = new Map([
  ['ico', 'image/x-icon'],
  ['xml', 'application/xml'],
]);

/** A request for a file of a site. */
export interface FileRequest {
  readonly client: ClientHandle;
  readonly head: RequestHead;
  readonly root: string;
  /** The published version, reported with the outcome. */
  readonly instance: string;
  readonly now: () => number;
}

const NOT_FOUND_PAGE = '404.html';
const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;
const PIECE_BYTES = 65_536;

/** Answers a request from the files of a site. */
export function handleFileRequest(request: FileRequest): RequestHandler {
  const answer = new FileHandler(request);
  void answer.run();
  return answer;
}

class FileHandler implements RequestHandler {
  readonly #request: FileRequest;
  #isGone = false;
  #lastProgressAt: number;
  /** Resolves the wait for the client to drain. */
  #resolveDrain: () => void = () => undefined;

  constructor(asked: FileRequest) {
    this.#request = asked;
    this.#lastProgressAt = asked.now();
  }

  consume(piece: Buffer): Buffer | undefined {
    return this.#request.head.framing.kind === 'none' ? piece : undefined;
  }

  resume(): void {
    this.#resolveDrain();
  }

  abort(): void {
    this.#isGone = true;
    this.#resolveDrain();
  }

  checkTime(now: number): void {
    if (now - this.#lastProgressAt > STALL_MS) this.#request.client.socket.destroy();
  }

  async run(): Promise<void> {
    const { head, client, instance } = this.#request;
    const keepsAlive = head.keepsAlive && head.framing.kind === 'none' && client.canContinue;
    const outcome = await this.#answer(keepsAlive).catch(() => {
      client.socket.destroy();
      return { status: 500, bytes: 0 };
    });
    client.endConnection({
      ...outcome,
      instance,
      keepsAlive: keepsAlive && !this.#isGone && outcome.status !== 500,
    });
  }

  async #answer(keepsAlive: boolean): Promise<{ status: number; bytes: number }> {
    const { head, root } = this.#request;
    if (head.method !== 'GET' && head.method !== 'HEAD') {
      const text = 'A static site supports GET and HEAD only.';
      return this.#respond(405, text, keepsAlive, ['Allow: GET, HEAD']);
    }
    const [path = '/', ...query] = head.target.split('?');
    const published = await findPublished(root, path);
    if (published.kind === 'folder') {
      // Relative to the request, so that it cannot redirect to another host.
      const folder = path.split('/').at(-1) ?? '';
      const location = `./${folder}/${query.length > 0 ? `?${query.join('?')}` : ''}`;
      return this.#respond(301, 'The path ends with a slash.', keepsAlive, [
        `Location: ${location}`,
      ]);
    }
    if (published.kind === 'file') return this.#sendFile(published.found, keepsAlive);
    const page = await openPublished(root, NOT_FOUND_PAGE);
    if (page === undefined) return this.#respond(404, 'The site has no such file.', keepsAlive, []);
    return this.#sendPart(page, { status: 404, from: 0, to: page.size, fields: [] }, keepsAlive);
  }

  #respond(
    status: number,
    text: string,
    keepsAlive: boolean,
    fields: readonly string[],
  ): { status: number; bytes: number } {
    const { client, head } = this.#request;
    client.socket.write(
      formatOwnResponse({ status, text, fields }, { method: head.method, keepsAlive }),
    );
    return { status, bytes: Buffer.byteLength(text) };
  }

  async #sendFile(
    found: PublishedFile,
    keepsAlive: boolean,
  ): Promise<{ status: number; bytes: number }> {
    const { tag } = found;
    const fields = [`ETag: ${tag}`, 'Accept-Ranges: bytes'];
    const nothing = { from: 0, to: 0, fields };
    const ifMatch = this.#field('if-match');
    if (ifMatch !== undefined && !includesTag(ifMatch, tag, 'strongly')) {
      return this.#sendPart(found, { status: 412, ...nothing }, keepsAlive);
    }
    const ifNoneMatch = this.#field('if-none-match');
    if (ifNoneMatch !== undefined && includesTag(ifNoneMatch, tag, 'weakly')) {
      return this.#sendPart(found, { status: 304, ...nothing }, keepsAlive);
    }
    const range = parseRange(this.#requestedRange(tag), found.size);
    if (range === undefined) {
      return this.#sendPart(found, { status: 200, from: 0, to: found.size, fields }, keepsAlive);
    }
    if (range === 'outside') {
      const outside = [...fields, `Content-Range: bytes */${found.size}`];
      return this.#sendPart(found, { status: 416, from: 0, to: 0, fields: outside }, keepsAlive);
    }
    const { from, to } = range;
    const part = [...fields, `Content-Range: bytes ${from}-${to - 1}/${found.size}`];
    return this.#sendPart(found, { status: 206, from, to, fields: part }, keepsAlive);
  }

  async #sendPart(
    { file, path }: PublishedFile,
    part: {
      readonly status: number;
      readonly from: number;
      readonly to: number;
      readonly fields: readonly string[];
    },
    keepsAlive: boolean,
  ): Promise<{ status: number; bytes: number }> {
    const { head } = this.#request;
    const { socket } = this.#request.client;
    const { status, from, to, fields } = part;
    const length = status === 304 ? [] : [`Content-Length: ${to - from}`];
    const lines = [
      `HTTP/1.1 ${status} ${REASONS[status] ?? 'OK'}`,
      `Content-Type: ${getContentType(path)}`,
      ...length,
      'Cache-Control: public, max-age=0, must-revalidate',
      'X-Content-Type-Options: nosniff',
      ...fields,
      keepsAlive ? 'Connection: keep-alive' : 'Connection: close',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    try {
      if (head.method === 'HEAD') return { status, bytes: 0 };
      let at = from;
      while (at < to && !this.#isGone) {
        const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, to - at));
        const { bytesRead } = await file.read(piece, 0, piece.length, at);
        if (bytesRead === 0) socket.destroy();
        if (bytesRead === 0) break;
        at += bytesRead;
        this.#lastProgressAt = this.#request.now();
        if (!socket.write(piece.subarray(0, bytesRead))) await this.#waitForDrain();
      }
      return { status, bytes: at - from };
    } finally {
      await file.close();
    }
  }

  /** Returns the requested range, unless it refers to another version of the file. */
  #requestedRange(tag: string): string | undefined {
    const ifRange = this.#field('if-range');
    if (this.#request.head.method !== 'GET') return undefined;
    return ifRange === undefined || ifRange.trim() === tag ? this.#field('range') : undefined;
  }

  /** Waits until the client can receive data or is gone. */
  #waitForDrain(): Promise<void> {
    return new Promise((done) => {
      this.#resolveDrain = done;
      if (this.#isGone || this.#request.client.socket.destroyed) done();
    });
  }

  #field(wanted: string): string | undefined {
    return findField(this.#request.head.text, wanted);
  }
}

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  206: 'Partial Content',
  304: 'Not Modified',
  404: 'Not Found',
  412: 'Precondition Failed',
  416: 'Range Not Satisfiable',
};

/** Returns whether a tag list contains a file's tag. Intermediaries that compress weaken tags. */
function includesTag(list: string, tag: string, comparison: 'strongly' | 'weakly'): boolean {
  if (list.trim() === '*') return true;
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((one) => (comparison === 'weakly' ? one.replace(/^W\//, '') : one) === tag);
}

/** Parses the requested range; `undefined` means the whole file, also if the range is invalid. */
function parseRange(
  text: string | undefined,
  size: number,
): { readonly from: number; readonly to: number } | 'outside' | undefined {
  const match = RANGE.exec(text ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (match === null || (first === '' && last === '')) return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  return from >= size || to <= from ? 'outside' : { from, to };
}

/** Returns the media type for a file name; `application/octet-stream` if it is unknown. */
function getContentType(path: string): string {
  const extension = extname(path).slice(1).toLowerCase();
  const known = Object.hasOwn(mimes, extension) ? mimes[extension] : undefined;
  const type = OWN_TYPES.get(extension) ?? known ?? 'application/octet-stream';
  return /^text\/|\/(?:json|xml)$/.test(type) ? `${type}; charset=utf-8` : type;
}
