import { AppError, ERRORS } from '../../domain/common/error.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';
import { plainReply } from '../http/admit.ts';
import { acceptsCoding } from '../http/compress-reply.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import { isPageFileName, listPageFiles, type PageFile } from './page-files.ts';

/** The path of the console page. */
export const CONSOLE_PATH = '/console/';

const INDEX = 'index.html';
/** The content security policy of the page, which may load its own files only. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SAFETY_HEADERS = [
  ...['content-security-policy', PAGE_POLICY],
  ...['referrer-policy', 'no-referrer'],
  ...['cross-origin-opener-policy', 'same-origin'],
  ...['cross-origin-resource-policy', 'same-origin'],
];
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * Creates the routes that serve a built page below `/console/`: its files by name, and its index
 * for every other path. The page itself routes those paths.
 *
 * @param folder - Contains `index.html` once the page is built.
 */
export function pageRoutes(folder: string): readonly FrontRoute[] {
  const files = listPageFiles(folder);
  const get = { methods: ['GET'], access: 'open' } as const;
  return [
    plainRoute({ ...get, path: '/console' }, () => {
      return { status: 308, headers: ['location', CONSOLE_PATH, ...SAFETY_HEADERS] };
    }),
    plainRoute({ ...get, path: CONSOLE_PATH, isPrefix: true }, (request) => {
      if (!files.has(INDEX)) return NOT_BUILT;
      const name = resolveFileName(request.path);
      const file = name === undefined ? undefined : files.get(name);
      return file === undefined ? NOT_FOUND : fileReply(file, request);
    }),
  ];
}

const NOT_FOUND = withSafetyHeaders(plainReply(404, 'not found'));
const NOT_BUILT = withSafetyHeaders(notBuiltReply());

/** Returns the file for a path, or `undefined` for a path that could leave the folder. */
function resolveFileName(path: string): string | undefined {
  const rest = path.slice(CONSOLE_PATH.length);
  if (rest.split('/').some(escapesFolder)) return undefined;
  return isPageFileName(rest) ? rest : INDEX;
}

function escapesFolder(segment: string): boolean {
  try {
    const name = decodeURIComponent(segment);
    return name === '.' || name.split(/[/\\]/).includes('..') || /\0/.test(name);
  } catch {
    return true;
  }
}

function fileReply(file: PageFile, request: HttpRequest): HttpReply {
  const encoding =
    file.encodings.find((one) => one === 'identity' || acceptsCoding(request, one)) ?? 'identity';
  const found = file.read(encoding);
  if (found === undefined) return NOT_FOUND;
  const headers = [
    ...['content-type', file.type],
    ...['cache-control', file.isHashed ? IMMUTABLE : 'no-cache'],
    ...['etag', found.etag],
    ...['vary', 'accept-encoding'],
    ...(encoding === 'identity' ? [] : ['content-encoding', encoding]),
    ...SAFETY_HEADERS,
  ];
  const known = (headerOf(request, 'if-none-match') ?? '').split(',').map((tag) => tag.trim());
  if (known.includes(found.etag)) return { status: 304, headers };
  return { status: 200, headers, body: found.bytes };
}

function notBuiltReply(): HttpReply {
  const { code, message } = new AppError('NOT_CONFIGURED', {
    message: 'The console page is not built. Run `npm run build`, then restart the server.',
  });
  return plainReply(ERRORS[code].status, `${code}: ${message}`);
}

function withSafetyHeaders({ headers = [], ...reply }: HttpReply): HttpReply {
  return { ...reply, headers: [...headers, ...SAFETY_HEADERS] };
}
