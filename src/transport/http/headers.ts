import type { HttpRequest } from './host.ts';

/** The first value of a header; `undefined` when it was not sent. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  const { headers } = request;
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === name) return headers[at + 1];
  }
  return undefined;
}

/** All values of a header, in the order sent. */
export function headerValues(request: HttpRequest, name: string): readonly string[] {
  const { headers } = request;
  const found: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === name) found.push(headers[at + 1] ?? '');
  }
  return found;
}

/** Reads one member of a query; `undefined` when it is absent or badly encoded. */
export function queryValue(query: string, name: string): string | undefined {
  if (query === '') return undefined;
  return new URLSearchParams(query).get(name) ?? undefined;
}
