import type { HttpRequest } from './host.ts';

/** Returns the first value of a header, or `undefined` if it was not sent. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  const { headers } = request;
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === name) return headers[at + 1];
  }
  return undefined;
}

/** Returns all values of a header, in the order sent. */
export function headerValues(request: HttpRequest, name: string): readonly string[] {
  const { headers } = request;
  const found: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === name) found.push(headers[at + 1] ?? '');
  }
  return found;
}

/** Returns one query parameter, or `undefined` if it is absent. */
export function queryValue(query: string, name: string): string | undefined {
  if (query === '') return undefined;
  return new URLSearchParams(query).get(name) ?? undefined;
}
