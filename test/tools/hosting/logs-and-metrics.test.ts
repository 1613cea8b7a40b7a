import { expect, test } from 'vitest';
import type { LogLabels } from '../../../src/domain/hosting/records.ts';
import { METRIC_TYPES } from '../../../src/domain/hosting/value-sets.ts';
import {
  availableStores,
  type CalledHosting,
  calledHosting,
  liveShop,
} from '../../support/called-hosting.ts';
import { proves } from '../../support/proves.ts';

const HOUR = 3_600_000;

/** Writes one line of the router for each status code. */
function requests(hosting: CalledHosting, resource: string, codes: readonly string[]): void {
  for (const [at, statusCode] of codes.entries()) {
    const labels: LogLabels = {
      resource,
      type: 'request',
      level: 'info',
      host: 'shop.localhost',
      statusCode,
      method: at % 2 === 0 ? 'GET' : 'POST',
      path: `/p/${at}`,
      instance: `i-${at % 2}`,
    };
    hosting.provider.log(labels, `request ${at}`);
  }
}

const messages = ({ value }: { value: { logs: readonly { message: string }[] } }) =>
  value.logs.map(({ message }) => message);

test('lines are narrowed by each filter, and filters are joined by "and"', async () => {
  proves('H2.t5', 'H4.logs.t1.c1', 'H4.logs.t1.c2', 'H4.logs.s1');
  const hosting = calledHosting();
  const id = await liveShop(hosting);
  requests(hosting, id, ['200', '404', '500', '503']);
  const read = async (filters: object) =>
    messages(await hosting.call('list_logs', { resource: [id], direction: 'forward', ...filters }));
  expect(await read({ type: ['request'] })).toHaveLength(4);
  expect(await read({ type: ['build'] })).toEqual(['Building', 'Built']);
  expect(await read({ level: ['error'] })).toEqual([]);
  expect(await read({ statusCode: ['5*'] })).toEqual(['request 2', 'request 3']);
  expect(await read({ statusCode: ['/^[45]0[04]$/'] })).toEqual(['request 1', 'request 2']);
  expect(await read({ method: ['POST'] })).toEqual(['request 1', 'request 3']);
  expect(await read({ method: ['POST'], statusCode: ['404'] })).toEqual(['request 1']);
  expect(await read({ host: ['shop.localhost'] })).toHaveLength(4);
  expect(await read({ host: ['other'] })).toEqual([]);
  expect(await read({ path: ['/p/2', '/p/3'] })).toEqual(['request 2', 'request 3']);
  expect(await read({ instance: ['i-1'] })).toEqual(['request 1', 'request 3']);
  expect(await read({ text: ['request 0'] })).toEqual(['request 0']);
});

test('20 lines of the last hour where nothing is said, the newest first, at most 100', async () => {
  proves('H4.logs.t1.c3', 'H4.logs.t1.c4', 'H4.logs.t1.c5', 'H8.s1');
  const hosting = calledHosting();
  const id = await liveShop(hosting);
  await hosting.clock.advance(2 * HOUR);
  requests(
    hosting,
    id,
    Array.from({ length: 120 }, () => '200'),
  );
  const plain = await hosting.call('list_logs', { resource: [id] });
  expect(messages(plain)).toHaveLength(20);
  expect(messages(plain)[0]).toBe('request 119');
  expect(plain.value.hasMore).toBe(true);
  expect(plain.line).toContain(`More: startTime ${plain.value.nextStartTime}`);
  expect(messages(await hosting.call('list_logs', { resource: [id], limit: 100 }))).toHaveLength(
    100,
  );
  const old = { startTime: new Date(hosting.clock.now() - 3 * HOUR).toISOString() };
  const forward = { resource: [id], direction: 'forward', ...old };
  expect(messages(await hosting.call('list_logs', forward))[0]).toBe('Building');
});

test('pages go on with the times of the page before, without loss or repeat', async () => {
  const hosting = calledHosting();
  const id = await liveShop(hosting);
  await hosting.clock.advance(2 * HOUR);
  requests(
    hosting,
    id,
    Array.from({ length: 57 }, () => '200'),
  );
  for (const direction of ['forward', 'backward']) {
    const found: string[] = [];
    let times = {};
    for (let more = true; more; ) {
      const page = await hosting.call('list_logs', {
        resource: [id],
        direction,
        limit: 10,
        ...times,
      });
      found.push(...messages(page));
      times = { startTime: page.value.nextStartTime, endTime: page.value.nextEndTime };
      more = page.value.hasMore;
    }
    expect(found).toHaveLength(57);
    expect(new Set(found).size).toBe(57);
  }
});

test('the values of a label are listed, within the same filters', async () => {
  proves('H4.logs.t2.c1', 'H4.logs.t2.c2', 'H4.logs.t2.c3');
  const hosting = calledHosting();
  const id = await liveShop(hosting);
  requests(hosting, id, ['200', '404', '500']);
  const list = async (label: string, filters: object = {}) =>
    (await hosting.call('list_log_label_values', { label, resource: [id], ...filters })).value
      .values;
  expect(await list('statusCode')).toEqual(['200', '404', '500']);
  expect(await list('statusCode', { method: ['POST'] })).toEqual(['404']);
  expect(await list('type')).toEqual(['app', 'build', 'request']);
  expect(await list('host')).toEqual(['shop.localhost']);
  expect(await list('level')).toEqual(['info']);
  const { line } = await hosting.call('list_log_label_values', { label: 'method', resource: [id] });
  expect(line).toBe('2 values of method: GET, POST');
});

test('the last hour in steps of 60 s where nothing else is said', async () => {
  proves('H2.t6', 'H4.metrics.t1.c1', 'H4.metrics.t1.c2', 'H4.metrics.t1.c3', 'H4.metrics.t1.c4');
  proves('H4.metrics.t1.c5', 'H8.t3', 'H8.t4', 'H8.t5');
  const hosting = calledHosting();
  const resourceId = await liveShop(hosting);
  const { value } = await hosting.call('get_metrics', { resourceId, metricTypes: ['cpu_limit'] });
  const now = hosting.clock.now();
  expect(value.timeRange).toEqual({
    start: new Date(now - HOUR).toISOString(),
    end: new Date(now).toISOString(),
  });
  expect(value.resolution).toBe(60);
  expect(value.metrics[0].data[0].values).toHaveLength(60);
  const fine = { resourceId, metricTypes: ['cpu_limit'], resolution: 30 };
  const half = await hosting.call('get_metrics', fine);
  expect(half.value.metrics[0].data[0].values).toHaveLength(120);
});

test('a metric that does not fit the resource is empty and no error', async () => {
  proves('H4.metrics.s1.c1', 'H4.metrics.s1.c2', 'H4.metrics.s1.c3', 'H4.metrics.s2');
  const hosting = calledHosting();
  const serviceId = await liveShop(hosting);
  const { postgresId, keyValueId } = await availableStores(hosting);
  const filled = async (resourceId: string): Promise<readonly string[]> => {
    const { value, isError } = await hosting.call('get_metrics', {
      resourceId,
      metricTypes: METRIC_TYPES,
    });
    expect(isError).toBe(false);
    expect(value.metrics.map(({ type }: { type: string }) => type)).toEqual(METRIC_TYPES);
    return value.metrics.flatMap(({ type, data }: { type: string; data: readonly unknown[] }) =>
      data.length === 0 ? [] : [type],
    );
  };
  const shared = ['cpu_usage', 'cpu_limit', 'memory_usage', 'memory_limit', 'instance_count'];
  const ofRequests = ['http_request_count', 'http_latency', 'bandwidth_usage'];
  expect(await filled(serviceId)).toEqual([...shared, ...ofRequests]);
  expect(await filled(postgresId)).toEqual([...shared, 'active_connections']);
  expect(await filled(keyValueId)).toEqual([...shared, 'active_connections']);
});

test('how values are gathered reaches the provider as it was said', async () => {
  proves('H4.metrics.t1.c6', 'H4.metrics.t1.c7', 'H4.metrics.t1.c8', 'H4.metrics.t1.c9');
  proves('H4.metrics.t1.c10', 'H8.t6');
  const hosting = calledHosting();
  const resourceId = await liveShop(hosting);
  const asked: unknown[] = [];
  const { metrics } = hosting.provider;
  const { series } = metrics;
  Object.assign(metrics, {
    series: (query: Parameters<typeof series>[0]) => {
      asked.push(query);
      return series(query);
    },
  });
  const metricTypes = ['http_latency'];
  await hosting.call('get_metrics', { resourceId, metricTypes });
  expect(asked[0]).toMatchObject({ cpuAggregation: 'AVG', latencyQuantile: 0.95 });
  for (const absent of ['requestCountBy', 'host', 'path'])
    expect(asked[0]).not.toHaveProperty(absent);
  await hosting.call('get_metrics', {
    resourceId,
    metricTypes: ['http_request_count'],
    httpLatencyQuantile: 0,
    cpuUsageAggregationMethod: 'MAX',
    aggregateHttpRequestCountsBy: 'statusCode',
    httpHost: 'h',
    httpPath: '/p',
  });
  expect(asked[1]).toMatchObject({
    cpuAggregation: 'MAX',
    requestCountBy: 'statusCode',
    latencyQuantile: 0,
    host: 'h',
    path: '/p',
  });
});

test('what had nothing to be used for is said', async () => {
  const hosting = calledHosting();
  const resourceId = await liveShop(hosting);
  const args = { resourceId, metricTypes: ['cpu_usage'], httpHost: 'h' };
  const { value } = await hosting.call('get_metrics', args);
  expect(value.notes).toEqual(['httpHost was not used: no requested metric type takes it.']);
});
