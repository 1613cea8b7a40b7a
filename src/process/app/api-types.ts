import type { Definition } from '../../runtime/engine/types.ts';

/** A JSON schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A schema of a library that implements Standard Schema with JSON schemas, such as zod 4. Values
 * are checked with it.
 */
export interface StandardSchema {
  readonly '~standard': {
    validate(value: unknown): StandardResult | Promise<StandardResult>;
    readonly jsonSchema: {
      input(o: { readonly target: 'draft-2020-12' }): Record<string, unknown>;
    };
  };
}

/** Result of a check. */
export interface StandardResult {
  readonly issues?:
    | readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[]
    | undefined;
}

/** A schema of either form. JSON schemas only describe; they check nothing. */
export type ApiSchema = JsonSchema | StandardSchema;

/** Schemas of one kind. What is left out is any JSON value. */
export interface KindSchemas {
  readonly input?: ApiSchema;
  /** Schemas of events by type, without the member `type`. */
  readonly events?: Readonly<Record<string, ApiSchema>>;
  readonly output?: ApiSchema;
}

/** Options of `serve`. */
export interface ServeOptions {
  /** Default 0: a free port. */
  readonly port?: number;
  /** Default 127.0.0.1. Any other address needs a `token`. */
  readonly host?: string;
  /** Required as `Authorization: Bearer <token>` if set. 16 to 128 letters, digits, `_`, `-`. */
  readonly token?: string;
  /** Further values of `Host` that clients may send, such as `shop.example:8080`. */
  readonly allowedHosts?: readonly string[];
  /** Maximum size of a request, in bytes. Default 1 MiB. */
  readonly bodyBytesMax?: number;
  /** Schemas by kind, for `openapi.json` and for checks of what comes in. */
  readonly schemas?: Readonly<Record<string, KindSchemas>>;
  /** The kinds of an engine that `durable` did not create. */
  readonly definitions?: readonly Definition[];
  /** Receives internal errors. Default: a line on standard error. */
  readonly onFault?: (error: Error) => void;
}

/** A running HTTP API. */
export interface ServedApp {
  /** Base URL, without a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

/** Body of an error. */
export interface ApiErrorBody {
  readonly error: string;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Answer to a request for a result. */
export type ApiResult =
  | { readonly status: 'done'; readonly output: unknown }
  /** The actor has not ended within the wait. */
  | { readonly status: 'active' };
