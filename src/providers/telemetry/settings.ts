/** The supported values of `OTEL_TRACES_SAMPLER`. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** A value of {@link SAMPLERS}. */
export type SamplerName = (typeof SAMPLERS)[number];

/** The telemetry settings: endpoint, service name and sampling. */
export interface TelemetrySettings {
  /** URL of a collector that accepts OTLP over HTTP, as JSON. */
  readonly tracesUrl: string;
  readonly serviceName: string;
  readonly sampler: SamplerName;
  /** Share of traces that the `traceidratio` samplers keep, from 0 to 1. */
  readonly ratio: number;
}
