import type { Deploy, KeyValue, Postgres, Service, Workspace } from '../hosting/records.ts';

/** What the console is told of hosting before anything else. */
export interface HostingOverview {
  /** Which provider it is: `local`, for one. */
  readonly provider: string;
  /** What stands behind a region's name, in one sentence. */
  readonly regions: string;
  /** Whether the operator lets consoles change anything. */
  readonly mayChange: boolean;
  readonly workspaces: readonly Workspace[];
}

/** A page of a listing; `cursor` goes on, and is `null` on the last page. */
export interface HostedPage<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
}

/** A service in the list, with its newest deploy. */
export interface HostedRow {
  readonly service: Service;
  readonly deploy: Deploy | null;
}

/** Postgres and Key Value of a workspace. */
export interface HostedDatabases {
  readonly postgres: readonly Postgres[];
  readonly keyValue: readonly KeyValue[];
  /** There are more of one kind than are told. */
  readonly hasMore: boolean;
}

/** One service: its record, newest deploy, and the names of its variables. */
export interface HostedService extends HostedRow {
  /** Values never leave the provider. */
  readonly envVarNames: readonly string[];
}

/** A Postgres server or a Key Value instance. */
export type HostedDatabase =
  | { readonly kind: 'postgres'; readonly database: Postgres }
  | { readonly kind: 'key_value'; readonly database: KeyValue };

/** What is drawn together, each line with one value a step. */
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
    /** `null` where nothing was measured. */
    readonly values: readonly (number | null)[];
  }[];
  /** Lines beyond those that are told. */
  readonly more: number;
}

/** Plots over one time. */
export interface HostingPlots {
  /** Milliseconds since 1970, one a step. */
  readonly times: readonly number[];
  readonly stepSec: number;
  /** Those that have values or could have: a plot without lines says that there are none. */
  readonly plots: readonly HostingPlot[];
}

/** What came of a change. */
export interface HostingChanged {
  /** The deploy that the change began. */
  readonly deployId: string | null;
}
