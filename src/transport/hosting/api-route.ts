import type { z } from 'zod';
import type { HttpExchange } from '../http/host.ts';
import type { ApiAct, ApiReach } from './api-reach.ts';

/** A call to an operation, with its inputs parsed. */
export interface ApiCall<Query, Body> {
  /** Returns the value of a path parameter. */
  at(name: string): string;
  readonly query: Query;
  readonly body: Body;
  /** The idempotency key, if the header was sent. It is scoped to the caller. */
  readonly key: string | undefined;
  readonly reach: ApiReach;
  /** Aborts when the caller leaves or the server shuts down. */
  readonly signal: AbortSignal;
}

/** An operation of the API. */
export interface ApiRoute<Query = unknown, Body = unknown> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** The path after the prefix, with parameters in braces: `services/{serviceId}`. */
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  /** The toolset that the token must include. */
  readonly toolset: string;
  readonly act: ApiAct;
  readonly query?: z.ZodType<Query>;
  /** Query parameters that may be repeated. */
  readonly repeated?: readonly string[];
  readonly body?: z.ZodType<Body>;
  /** Body fields that errors must not repeat. */
  readonly hides?: readonly string[];
  /** Whether the operation accepts an idempotency key. */
  readonly takesKey?: boolean;
  readonly status: 200 | 201 | 202 | 204;
  /** The schema of the reply. Fields that it does not define are removed. */
  readonly answer: z.ZodType;
  /** The content type of a streamed reply, whose events each contain one `answer`. */
  readonly type?: string;
  run?(call: ApiCall<Query, Body>): Promise<unknown>;
  /** Checks the call before the reply starts, then returns the items to stream. */
  stream?(call: ApiCall<Query, Body>, exchange: HttpExchange): Promise<AsyncIterable<unknown>>;
}

/** Defines an operation whose call types follow from its schemas. */
export function apiRoute<Query, Body>(route: ApiRoute<Query, Body>): ApiRoute {
  return route as ApiRoute;
}
