import { expect, test } from 'vitest';
import { readTelemetrySettings } from '../../../src/providers/telemetry/read-settings.ts';
import {
  formatTraceparent,
  parseTraceparent,
  toSpanError,
} from '../../../src/providers/telemetry/spans.ts';

const ENDPOINT = 'http://127.0.0.1:4318';

test.each([
  ['no endpoint', {}],
  ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ['the SDK turned off', { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_SDK_DISABLED: 'True' }],
  ['no exporter', { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
])('with %s no trace is made', (_what, env) => {
  expect(readTelemetrySettings(env)).toBe(undefined);
});

test('traces go below the common endpoint, or to their own as it is written', () => {
  const common = { OTEL_EXPORTER_OTLP_ENDPOINT: `${ENDPOINT}/otlp/` };
  expect(readTelemetrySettings(common)).toEqual({
    tracesUrl: `${ENDPOINT}/otlp/v1/traces`,
    serviceName: 'stoa',
    sampler: 'parentbased_always_on',
    ratio: 1,
  });
  const own = {
    ...common,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${ENDPOINT}/mine`,
    OTEL_SERVICE_NAME: 'shop',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  };
  expect(readTelemetrySettings(own)).toEqual({
    tracesUrl: `${ENDPOINT}/mine`,
    serviceName: 'shop',
    sampler: 'traceidratio',
    ratio: 0.25,
  });
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'x' }, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_TRACES_SAMPLER: 'sometimes' },
    'OTEL_TRACES_SAMPLER',
  ],
  [
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '2',
    },
    'OTEL_TRACES_SAMPLER_ARG',
  ],
])('what cannot be understood is refused by name: %o', (env, name) => {
  expect(() => readTelemetrySettings(env)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', data: expect.objectContaining({ name }) }),
  );
});

test('a password in an endpoint is not repeated', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://user:hunter2@host/x' };
  expect(() => readTelemetrySettings(env)).toThrow(/"ftp:\/\/host"/);
});

test('a trace is written and read as one text, and what is none is none', () => {
  const context = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };
  const text = formatTraceparent(context);
  expect(text).toBe(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`);
  expect(parseTraceparent(text)).toEqual({ ...context, isRemote: true });
  // A later version may say more behind what this one says.
  expect(parseTraceparent(`cc${text.slice(2)}-more`)).toMatchObject({ traceId: context.traceId });
  for (const none of [undefined, '', 'trace', text.slice(1)])
    expect(parseTraceparent(none)).toBe(undefined);
});

test('an error is one word in a span', () => {
  expect(toSpanError('CHAIN_UNAVAILABLE')).toBe('CHAIN_UNAVAILABLE');
  expect(toSpanError('key 0xabc of payer')).toBe('Error');
  expect(toSpanError(undefined)).toBe('Error');
});
