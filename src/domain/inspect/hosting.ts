import type { Deploy, KeyValue, Postgres, Service, Workspace } from '../hosting/records.ts';

/** Initial data of the hosting console. */
export interface HostingOverview {
  /** Name of the provider, for example `local`. */
  readonly provider: string;
  /** The meaning of a region name, in one sentence. */
  readonly regions: string;
  /** Whether the operator allows changes from consoles. */
  readonly mayChange: boolean;
  readonly workspaces: readonly Workspace[];
}

/** A page of a list. `cursor` selects the next page and is `null` on the last one. */
export interface HostedPage<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
}

/** A listed service with its newest deploy. */
export interface HostedRow {
  readonly service: Service;
  readonly deploy: Deploy | null;
}

/** Postgres servers and Key Value instances of a workspace. */
export interface HostedDatabases {
  readonly postgres: readonly Postgres[];
  readonly keyValue: readonly KeyValue[];
  /** Whether a kind has more entries than are listed. */
  readonly hasMore: boolean;
}

/** A service with its newest deploy and the names of its variables. */
export interface HostedService extends HostedRow {
  /** Names only; values never leave the provider. */
  readonly envVarNames: readonly string[];
}

/** A Postgres server or a Key Value instance. */
export type HostedDatabase =
  | { readonly kind: 'postgres'; readonly database: Postgres }
  | { readonly kind: 'key_value'; readonly database: KeyValue };

/** Lines of one plot, with one value per step. */
export interface HostingPlot {
  readonly name:
    | 'processor'
    | 'memory'
    | 'instances'
    | 'requests'
    | 'latency'
    | 'bandwidth'
    | 'connections';
  /** Such as `cpu`, `bytes`, `ms`, `count`. */
  readonly unit: string;
  readonly lines: readonly {
    readonly label: string;
    /** `null` if nothing was measured. */
    readonly values: readonly (number | null)[];
  }[];
  /** Number of lines that are not included. */
  readonly more: number;
}

/** Plots over one time range. */
export interface HostingPlots {
  /** Milliseconds since 1970, one per step. */
  readonly times: readonly number[];
  readonly stepSec: number;
  /** All plots that apply to the resource. A plot without lines has no data. */
  readonly plots: readonly HostingPlot[];
}

/** The addresses of a database, with its password. Only sent when an operator asks for them. */
export interface HostedConnection {
  /** For programs on the same host. */
  readonly internal: string;
  /** Restricted by the allowlist. */
  readonly external: string;
}

/** The result of a change. */
export interface HostingChangeResult {
  /** The deploy that the change started. */
  readonly deployId: string | null;
}
