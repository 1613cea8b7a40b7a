import { expect, test } from 'vitest';
import type { NewService } from '../../src/domain/hosting/hosting.ts';
import type { LogLine } from '../../src/domain/hosting/records.ts';
import {
  formatEventDetails,
  formatFailureReason,
  isInProgress,
} from '../../web/src/hosting/hosting-format.tsx';
import { hostingUrl } from '../../web/src/hosting/hosting-url.ts';
import { LINES_MAX, levelsFrom, mergeLines } from '../../web/src/hosting/log-lines.ts';
import { createPatch, listSettings } from '../../web/src/hosting/settings.ts';
import { webService } from '../support/hosted-console.ts';
import { hostingWorld } from '../support/hosting-world.ts';

function lineAt(at: number, message = `line ${at}`): LogLine {
  const timestamp = `2026-03-01T12:00:00.${String(at).padStart(9, '0')}Z`;
  const labels = { resource: 'srv-x', type: 'app', level: 'info' } as const;
  return { id: `srv-x:${at}`, timestamp, message, labels };
}

test('every reason of a failure has words, and several are told together', () => {
  expect(
    [
      { earlyExit: true } as const,
      { nonZeroExit: 137 },
      { oomKilled: { memoryLimitMib: 512 } },
      { unhealthy: '500 oops' },
      { timedOut: { seconds: 900, what: 'the build' } },
      { evicted: 'no disk space' },
      { missing: 'elixir' },
      { nonZeroExit: 1, missing: 'go' },
      {},
      undefined,
    ].map(formatFailureReason),
  ).toEqual([
    'exited early',
    'exited with code 137',
    'killed at its memory limit of 512 MiB',
    'failed its health check: 500 oops',
    'the build took longer than 900 s',
    'evicted by the host: no disk space',
    'missing on the host: elixir',
    'exited with code 1; missing on the host: go',
    null,
    null,
  ]);
});

test('details of an event are names and values, the reason in words', () => {
  const details = { deployId: 'dep-1', reason: { nonZeroExit: 2 }, counts: [1, 2] };
  expect(formatEventDetails(details)).toBe('deploy id dep-1, exited with code 2, counts [1,2]');
  expect(formatEventDetails({ text: 'x'.repeat(300) })).toHaveLength('text '.length + 201);
});

test('a deploy is under way until it has come to an end', () => {
  const states = ['created', 'queued', 'build_in_progress', 'update_in_progress'] as const;
  const ended = ['build_failed', 'live', 'deactivated', 'canceled', 'update_failed'] as const;
  expect(states.map((status) => isInProgress({ status }))).toEqual([true, true, true, true]);
  expect(ended.some((status) => isInProgress({ status }))).toBe(false);
});

test('lines stand in order, each once, and the oldest of too many go', () => {
  const lines = mergeLines([lineAt(5), lineAt(7)], [lineAt(6), lineAt(5), lineAt(1)]);
  expect(lines.map(({ message }) => message)).toEqual(['line 1', 'line 5', 'line 6', 'line 7']);
  expect(mergeLines(lines, [])).toBe(lines);
  const many = Array.from({ length: LINES_MAX + 10 }, (_, at) => lineAt(at));
  const kept = mergeLines([], many.toReversed());
  expect([kept.length, kept[0]?.message]).toEqual([LINES_MAX, 'line 10']);
});

test('a level stands for itself and all that are worse', () => {
  expect(levelsFrom('warning')).toBe('warning,error,critical');
  expect(['', 'debug', 'other'].map(levelsFrom)).toEqual(['', '', '']);
});

test('addresses hold encoded parts and only members with a value', () => {
  expect(hostingUrl()).toBe('/inspect/hosting');
  expect(hostingUrl(['services', 'a/b'], { cursor: null, text: '', level: 'error' })).toBe(
    '/inspect/hosting/services/a%2Fb?level=error',
  );
});

test('only settings that were changed are sent, numbers as numbers', async () => {
  const { provider } = hostingWorld();
  const { service } = await provider.services.create(webService());
  const settings = listSettings(service);
  expect(createPatch(settings, {})).toEqual({});
  const draft = { name: 'hello', numInstances: ' 3 ', startCommand: 'node x.js' };
  expect(createPatch(settings, draft)).toEqual({ numInstances: 3, startCommand: 'node x.js' });
  // The server says what is wrong with it.
  expect(createPatch(settings, { numInstances: 'many' })).toEqual({ numInstances: 'many' });
});

test('each type of service has the settings that can be changed, and no others', async () => {
  const { provider } = hostingWorld();
  const base = webService();
  const { ownerId, autoDeploy, envVars } = base;
  const shared = { ownerId, autoDeploy, envVars };
  const made: readonly NewService[] = [
    base,
    webService({
      name: 'docker',
      run: { runtime: 'docker', dockerfilePath: 'D', dockerContext: '.', dockerCommand: '' },
    }),
    {
      ...shared,
      type: 'static_site',
      name: 'site',
      buildCommand: 'make',
      publishPath: 'p',
    },
    {
      ...shared,
      type: 'cron_job',
      name: 'cron',
      schedule: '0 4 * * *',
      plan: 'starter',
      region: 'oregon',
      run: { runtime: 'go', buildCommand: 'b', startCommand: 's' },
    },
  ];
  const names: (readonly string[])[] = [];
  for (const order of made) {
    const { service } = await provider.services.create(order);
    const settings = listSettings(service);
    names.push(settings.map(({ name }) => name).slice(3));
    // Every one of them is taken by the provider.
    for (const { name, kind, value } of settings) {
      const same = kind === 'number' ? Number(value) : value;
      await provider.services.update(service.id, { [name]: same });
    }
  }
  const web = ['plan', 'numInstances', 'healthCheckPath', 'preDeployCommand'];
  expect(names).toEqual([
    ['buildCommand', 'startCommand', ...web, 'maxShutdownDelaySeconds'],
    ['dockerfilePath', 'dockerContext', 'dockerCommand', ...web, 'maxShutdownDelaySeconds'],
    ['buildCommand', 'publishPath'],
    ['buildCommand', 'startCommand', 'plan', 'schedule'],
  ]);
});
