import { invalidSetting } from '../../domain/common/error.ts';
import { trimEndChars } from '../../domain/common/text.ts';
import { SAMPLERS, type SamplerName, type TelemetrySettings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const SERVICE_NAME_DEFAULT = 'stoa';
const SAMPLER_DEFAULT: SamplerName = 'parentbased_always_on';

/**
 * Reads the standard OpenTelemetry variables. Returns `undefined` without an endpoint.
 *
 * @throws {AppError} `CONFIG_INVALID` naming the variable, its value and what is allowed.
 */
export function readTelemetrySettings(env: Environment): TelemetrySettings | undefined {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  if (env['OTEL_TRACES_EXPORTER'] === 'none') return undefined;
  const tracesUrl = readEndpoint(env);
  if (tracesUrl === undefined) return undefined;
  const sampler = readSampler(env['OTEL_TRACES_SAMPLER']);
  return {
    tracesUrl,
    serviceName: env['OTEL_SERVICE_NAME'] || SERVICE_NAME_DEFAULT,
    sampler,
    ratio: sampler.endsWith('traceidratio') ? readRatio(env['OTEL_TRACES_SAMPLER_ARG']) : 1,
  };
}

function readEndpoint(env: Environment): string | undefined {
  const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  if (own) return readUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', own);
  const common = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (!common) return undefined;
  return `${trimEndChars(readUrl('OTEL_EXPORTER_OTLP_ENDPOINT', common), '/')}/v1/traces`;
}

function readUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text;
  // A URL may contain a password.
  const received = url === undefined ? text.slice(0, 100) : `${url.protocol}//${url.host}`;
  throw invalidSetting(name, received, 'an absolute http or https URL');
}

function readSampler(text: string | undefined): SamplerName {
  if (!text) return SAMPLER_DEFAULT;
  const known = SAMPLERS.find((name) => name === text);
  if (known !== undefined) return known;
  throw invalidSetting('OTEL_TRACES_SAMPLER', text, `one of ${SAMPLERS.join(', ')}`);
}

function readRatio(text: string | undefined): number {
  if (!text) return 1;
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw invalidSetting('OTEL_TRACES_SAMPLER_ARG', text, 'a number from 0 to 1');
}
