import { expect } from 'vitest';
import type { LogFilters } from '../../../src/domain/hosting/hosting.ts';
import type { LogLine, LogPage } from '../../../src/domain/hosting/records.ts';
import type { Claims } from './suite.ts';
import { type HostingWorld, refused, servedService } from './world.ts';

const HOUR_MS = 3_600_000;

/** Filters of one marked run of lines over the last hour. */
function filters(world: HostingWorld, resource: readonly string[], more: Partial<LogFilters> = {}) {
  return {
    resource,
    direction: 'forward',
    text: ['mark-'],
    startTime: new Date(world.now() - HOUR_MS).toISOString(),
    endTime: new Date(world.now() + HOUR_MS).toISOString(),
    ...more,
  } as const satisfies LogFilters;
}

/** Writes marked lines and waits until they can be read. */
async function written(world: HostingWorld, resource: string, count: number): Promise<string[]> {
  const messages = Array.from({ length: count }, (_, at) => `mark-${resource.slice(-4)}-${at} end`);
  await world.write(
    resource,
    messages.map((message, at) => ({ message, level: at % 2 === 0 ? 'info' : 'error' })),
  );
  await world.until(async () => {
    const query = filters(world, [resource], { text: [messages.at(-1) ?? ''] });
    return (await world.provider.logs.query({ ...query, limit: 1 })).logs.length === 1;
  }, 'the last written line');
  return messages;
}

async function everyLine(world: HostingWorld, query: LogFilters, limit: number) {
  const lines: LogLine[] = [];
  let { startTime, endTime } = query;
  for (let pages = 0; pages < 1_000; pages += 1) {
    const page: LogPage = await world.provider.logs.query({ ...query, startTime, endTime, limit });
    lines.push(...page.logs);
    if (!page.hasMore) return lines;
    expect(page.logs).toHaveLength(limit);
    startTime = page.nextStartTime;
    endTime = page.nextEndTime;
  }
  throw new Error('the logs have no end');
}

/** Claims about log lines. */
export const logClaims: Claims = {
  'lines come whole and in order, forward and backward, in pages of any size': async (world) => {
    const { service } = await servedService(world);
    const messages = await written(world, service.id, 23);
    const query = filters(world, [service.id]);
    for (const limit of [1, 2, 7, 100]) {
      const forward = await everyLine(world, query, limit);
      expect(forward.map(({ message }) => message)).toEqual(messages);
      const backward = await everyLine(world, { ...query, direction: 'backward' }, limit);
      expect(backward.map(({ message }) => message)).toEqual([...messages].reverse());
    }
  },

  'lines of several resources are joined by time; none is lost or repeated': async (world) => {
    const one = await servedService(world);
    const two = await servedService(world, { name: 'two' });
    const ids = [one.service.id, two.service.id];
    const all: string[] = [];
    for (const id of ids) all.push(...(await written(world, id, 11)));
    const lines = await everyLine(world, filters(world, ids), 3);
    expect(lines.map(({ message }) => message).sort()).toEqual([...all].sort());
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
    const times = lines.map(({ timestamp }) => timestamp);
    expect([...times].sort()).toEqual(times);
    for (const time of times) expect(time).toMatch(/^\d{4}-.*\.\d{9}Z$/);
  },

  'filters of one label are alternatives, labels are joined by "and"': async (world) => {
    const { service } = await servedService(world);
    const messages = await written(world, service.id, 6);
    const read = async (more: Partial<LogFilters>) => {
      const lines = await everyLine(world, filters(world, [service.id], more), 100);
      return lines.map(({ message }) => message);
    };
    const errors = messages.filter((_, at) => at % 2 === 1);
    expect(await read({ level: ['error'] })).toEqual(errors);
    expect(await read({ level: ['error', 'info'] })).toEqual(messages);
    expect(await read({ level: ['critical'] })).toEqual([]);
    expect(await read({ type: ['request'] })).toEqual([]);
    const [first = '', second = ''] = errors;
    expect(await read({ text: [first, second] })).toEqual([first, second]);
    expect(await read({ level: ['info'], text: [first] })).toEqual([]);
  },

  'texts are found by words, by * and by regular expressions in linear time': async (world) => {
    const { service } = await servedService(world);
    const messages = await written(world, service.id, 4);
    const read = async (text: string) => {
      const lines = await everyLine(world, filters(world, [service.id], { text: [text] }), 100);
      return lines.map(({ message }) => message);
    };
    const [, second = ''] = messages;
    expect(await read('mark-*-1 end')).toEqual([second]);
    expect(await read('/mark-.{4}-[12] end/')).toEqual([messages[1], messages[2]]);
    expect(await read('/^nothing/')).toEqual([]);
    await world.write(service.id, [{ message: `mark-${'a'.repeat(5_000)}!` }]);
    expect(await read('/(a+)+$/')).toEqual([]);
    await refused(read('/(/'), 'INPUT_INVALID');
  },

  'a time is inclusive at its start and exclusive at its end': async (world) => {
    const { service } = await servedService(world);
    await written(world, service.id, 3);
    const query = filters(world, [service.id]);
    const lines = await everyLine(world, query, 100);
    const [first, second, third] = lines.map(({ timestamp }) => timestamp);
    const between = { ...query, startTime: first ?? '', endTime: third ?? '' };
    const found = await everyLine(world, between, 100);
    expect(found.map(({ timestamp }) => timestamp)).toEqual([first, second]);
  },

  'the values of a label are those that the filters let through': async (world) => {
    const { provider } = world;
    const { service } = await servedService(world);
    await written(world, service.id, 4);
    const query = filters(world, [service.id]);
    const levels = await provider.logs.labelValues({ ...query, label: 'level' });
    expect([...levels].sort()).toEqual(['error', 'info']);
    const some = { ...query, level: ['error'], label: 'level' } as const;
    expect(await provider.logs.labelValues(some)).toEqual(['error']);
    expect(await provider.logs.labelValues({ ...query, label: 'method' })).toEqual([]);
  },

  'lines are read as they come, until nobody wants them': async (world) => {
    const { service } = await servedService(world);
    const stop = new AbortController();
    const heard: string[] = [];
    const reading = (async () => {
      const lines = world.provider.logs.tail({ resource: [service.id] }, stop.signal);
      for await (const { message } of lines) heard.push(message);
    })();
    // A tail begins when it is asked for: what is written now may be before or behind that.
    await world.until(async () => {
      await world.write(service.id, [{ message: 'tail-line' }]);
      return heard.includes('tail-line');
    }, 'a line at the end');
    stop.abort();
    await reading;
  },

  'logs of what there is not, and limits that are none, are refused': async (world) => {
    const { provider } = world;
    const none = filters(world, ['srv-00000000000000000000']);
    await refused(provider.logs.query({ ...none, limit: 5 }), 'RESOURCE_UNKNOWN');
    const { service } = await servedService(world);
    const query = filters(world, [service.id]);
    for (const limit of [0, 101]) {
      await refused(provider.logs.query({ ...query, limit }), 'INPUT_INVALID');
    }
    const wrong = { ...query, startTime: 'yesterday', limit: 5 };
    await refused(provider.logs.query(wrong), 'INPUT_INVALID');
  },
};
