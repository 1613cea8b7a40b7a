import type { z } from 'zod';
import type { HttpExchange } from '../http/host.ts';
import type { ApiReach } from './api-reach.ts';

/**
 * What an operation does: reads, changes what tools change too, or does what no tool does and a
 * second host needs.
 */
export type ApiAct = 'reads' | 'changes' | 'host';

/** An operation that is called, with what was said parsed. */
export interface ApiCall<Query, Body> {
  /** The value of a name in the path. */
  at(name: string): string;
  readonly query: Query;
  readonly body: Body;
  /** What names the order, where its header was sent; apart for each caller. */
  readonly key: string | undefined;
  readonly reach: ApiReach;
  /** Aborts when the caller has gone, or the server ends. */
  readonly signal: AbortSignal;
}

/** An operation of the API. */
export interface ApiRoute<Query = unknown, Body = unknown> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Behind the prefix, with names in braces: `services/{serviceId}`. */
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  /** The group of tools that its token must reach. */
  readonly toolset: string;
  readonly act: ApiAct;
  readonly query?: z.ZodType<Query>;
  /** Members of the query that may be sent more than once. */
  readonly repeated?: readonly string[];
  readonly body?: z.ZodType<Body>;
  /** Members of the body that no error repeats. */
  readonly hides?: readonly string[];
  /** Whether the header that names an order is taken. */
  readonly takesKey?: boolean;
  readonly status: 200 | 201 | 202 | 204;
  /** What is answered: members that it does not name are left out. */
  readonly answer: z.ZodType;
  /** Present where the answer grows, an event with an `answer` after the other. */
  readonly type?: string;
  run?(call: ApiCall<Query, Body>): Promise<unknown>;
  /** Checks before the answer begins; then gives what it is made of. */
  grow?(call: ApiCall<Query, Body>, exchange: HttpExchange): Promise<AsyncIterable<unknown>>;
}

/** States an operation; what it is called with follows from its schemas. */
export function apiRoute<Query, Body>(route: ApiRoute<Query, Body>): ApiRoute {
  return route as ApiRoute;
}
