import { AppError } from '../../domain/common/error.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { TelemetrySettings } from './settings.ts';
import { Spans } from './spans.ts';

/** Spans are sent this often, in milliseconds. */
export const EXPORT_EVERY_MS = SECOND_MS;
/** Spans that wait to be sent at most; more are dropped. */
export const SPANS_WAITING_MAX = 4_096;
/** How long the last spans may take to be sent at the end, in milliseconds. */
export const FLUSH_MS_MAX = 3 * SECOND_MS;
/** A fault of the exporter is told at most this often, in milliseconds. */
const FAULT_EVERY_MS = MINUTE_MS;

/** Traces that go to a collector. */
export interface Telemetry {
  readonly spans: Spans;
  /** Sends what is left, within a bound. */
  close(): Promise<void>;
}

/** What telemetry is opened with. */
export interface TelemetryParts {
  readonly settings: TelemetrySettings;
  readonly version: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Told that spans could not be sent. */
  notice(line: string): void;
}

/**
 * Loads OpenTelemetry and begins to send traces. Its packages are optional peers: only a server
 * that is configured for it loads them.
 *
 * @throws {AppError} `NOT_CONFIGURED` when a package is missing.
 */
export async function openTelemetry(parts: TelemetryParts): Promise<Telemetry> {
  const { settings, version, now } = parts;
  const { api, sdk, exporter: otlp, resources } = await load();
  tellFaults(api, parts);
  const exporter = new otlp.OTLPTraceExporter({ url: settings.tracesUrl });
  const provider = new sdk.TracerProvider({
    resource: resources.defaultResource().merge(
      resources.resourceFromAttributes({
        'service.name': settings.serviceName,
        'service.version': version,
      }),
    ),
    sampler: samplerOf(sdk, settings),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: EXPORT_EVERY_MS,
        maxQueueSize: SPANS_WAITING_MAX,
      }),
    ],
  });
  return {
    spans: new Spans(api, provider.getTracer('stoa', version), now),
    close: () => endWithin(provider, FLUSH_MS_MAX),
  };
}

type Loaded = Awaited<ReturnType<typeof load>>;

async function load() {
  try {
    const [api, sdk, exporter, resources] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
    return { api, sdk, exporter, resources };
  } catch (cause) {
    const packages =
      '@opentelemetry/api@1 @opentelemetry/sdk-trace@2 ' +
      '@opentelemetry/exporter-trace-otlp-http@0.223 @opentelemetry/resources@2';
    throw new AppError('NOT_CONFIGURED', {
      message:
        'OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, and the ' +
        `packages of OpenTelemetry are not all there. Either: npm install ${packages}`,
      data: { variable: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
      cause,
    });
  }
}

function samplerOf(sdk: Loaded['sdk'], { sampler, ratio }: TelemetrySettings) {
  const root = rootOf(sdk, sampler, ratio);
  return sampler.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root;
}

function rootOf(sdk: Loaded['sdk'], sampler: TelemetrySettings['sampler'], ratio: number) {
  switch (sampler) {
    case 'always_on':
    case 'parentbased_always_on':
      return new sdk.AlwaysOnSampler();
    case 'always_off':
    case 'parentbased_always_off':
      return new sdk.AlwaysOffSampler();
    case 'traceidratio':
    case 'parentbased_traceidratio':
      return new sdk.TraceIdRatioBasedSampler(ratio);
  }
}

/** A collector that does not answer is told of now and then, not for every batch. */
function tellFaults(api: Loaded['api'], { now, notice }: TelemetryParts): void {
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (): void => {
    if (now() - toldAt < FAULT_EVERY_MS) return;
    toldAt = now();
    notice('telemetry: spans could not be sent to the collector; they are dropped');
  };
  const silent = (): void => undefined;
  const logger = { error: tell, warn: silent, info: silent, debug: silent, verbose: silent };
  api.diag.setLogger(logger, api.DiagLogLevel.ERROR);
}

async function endWithin(provider: { shutdown(): Promise<void> }, msMax: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, msMax);
  });
  await Promise.race([provider.shutdown().catch(() => undefined), late]);
  clearTimeout(timer);
}
