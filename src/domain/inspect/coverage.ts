/** How often the states and transitions of a machine were walked; ids as in its graph. */
export interface CoverageReport {
  readonly kind: string;
  readonly version: number;
  /** What was run, in a few words. */
  readonly title: string;
  /** When it was made, in milliseconds. */
  readonly at: number;
  /** Paths that were run. */
  readonly paths: number;
  readonly states: Readonly<Record<string, number>>;
  readonly transitions: Readonly<Record<string, number>>;
}
