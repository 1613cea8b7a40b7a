import { AppError } from '../../domain/common/error.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { TelemetrySettings } from './settings.ts';
import { SpanRecorder } from './spans.ts';

/** Interval between exports of spans, in milliseconds. */
export const EXPORT_INTERVAL_MS = SECOND_MS;
/** Most spans in the export queue. Further ones are dropped. */
export const SPAN_QUEUE_MAX = 4_096;
/** Timeout for exporting the last spans at shutdown, in milliseconds. */
export const FLUSH_MS_MAX = 3 * SECOND_MS;
/** Shortest interval between two notices about export errors, in milliseconds. */
const NOTICE_INTERVAL_MS = MINUTE_MS;

/** A trace exporter to a collector. */
export interface Telemetry {
  readonly spans: SpanRecorder;
  /** Exports the remaining spans within a time limit. */
  close(): Promise<void>;
}

/** The dependencies of telemetry. */
export interface TelemetryExportDeps {
  readonly settings: TelemetrySettings;
  readonly version: string;
  /** Returns the current time in milliseconds since 1970. */
  now(): number;
  /** Called when spans could not be exported. */
  notice(line: string): void;
}

/**
 * Loads OpenTelemetry and starts to export traces. Its packages are optional peer dependencies that
 * are loaded only if telemetry is configured.
 *
 * @throws {AppError} `NOT_CONFIGURED` when a package is missing.
 */
export async function openTelemetry(parts: TelemetryExportDeps): Promise<Telemetry> {
  const { settings, version, now } = parts;
  const { api, sdk, exporter: otlp, resources } = await loadPackages();
  logExportErrors(api, parts);
  const exporter = new otlp.OTLPTraceExporter({ url: settings.tracesUrl });
  const provider = new sdk.TracerProvider({
    resource: resources.defaultResource().merge(
      resources.resourceFromAttributes({
        'service.name': settings.serviceName,
        'service.version': version,
      }),
    ),
    sampler: createSampler(sdk, settings),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: EXPORT_INTERVAL_MS,
        maxQueueSize: SPAN_QUEUE_MAX,
      }),
    ],
  });
  return {
    spans: new SpanRecorder(api, provider.getTracer('stoa', version), now),
    close: () => shutDownWithin(provider, FLUSH_MS_MAX),
  };
}

type LoadedPackages = Awaited<ReturnType<typeof loadPackages>>;

async function loadPackages() {
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
        'OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, but ' +
        `OpenTelemetry packages are missing. Run: npm install ${packages}`,
      data: { variable: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
      cause,
    });
  }
}

function createSampler(sdk: LoadedPackages['sdk'], { sampler, ratio }: TelemetrySettings) {
  const root = createRootSampler(sdk, sampler, ratio);
  return sampler.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root;
}

function createRootSampler(
  sdk: LoadedPackages['sdk'],
  sampler: TelemetrySettings['sampler'],
  ratio: number,
) {
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

/** Limits notices about an unreachable collector, instead of one per batch. */
function logExportErrors(api: LoadedPackages['api'], { now, notice }: TelemetryExportDeps): void {
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (): void => {
    if (now() - toldAt < NOTICE_INTERVAL_MS) return;
    toldAt = now();
    notice('telemetry: spans could not be sent to the collector and were dropped');
  };
  const silent = (): void => undefined;
  const logger = { error: tell, warn: silent, info: silent, debug: silent, verbose: silent };
  api.diag.setLogger(logger, api.DiagLogLevel.ERROR);
}

async function shutDownWithin(
  provider: { shutdown(): Promise<void> },
  msMax: number,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, msMax);
  });
  await Promise.race([provider.shutdown().catch(() => undefined), late]);
  clearTimeout(timer);
}
