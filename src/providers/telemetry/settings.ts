/** Which traces are kept, in the words of `OTEL_TRACES_SAMPLER`. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** One of {@link SAMPLERS}. */
export type SamplerName = (typeof SAMPLERS)[number];

/** Where traces go, and which. */
export interface TelemetrySettings {
  /** Takes traces by OTLP over HTTP, as JSON. */
  readonly tracesUrl: string;
  readonly serviceName: string;
  readonly sampler: SamplerName;
  /** Share of traces that the `traceidratio` samplers keep, 0 to 1. */
  readonly ratio: number;
}
