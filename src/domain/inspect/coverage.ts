/** How often a run visited the states and transitions of a machine. Ids are those of its graph. */
export interface CoverageReport {
  readonly kind: string;
  readonly version: number;
  /** Short description of the run. */
  readonly title: string;
  /** Creation time, in milliseconds since 1970. */
  readonly at: number;
  /** Number of paths that ran. */
  readonly paths: number;
  readonly states: Readonly<Record<string, number>>;
  readonly transitions: Readonly<Record<string, number>>;
}
