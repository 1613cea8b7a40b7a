import { expect, test } from 'vitest';
import { detectBuilder } from '../../../../../src/providers/hosting/local/images/builder.ts';
import type { Sandbox } from '../../../../../src/providers/hosting/local/sandbox.ts';

const sandbox = (level: Sandbox['level'], path: string): Sandbox => ({
  level,
  confinesSockets: false,
  path,
  wrap: () => [],
  homeOf: (cache) => cache,
});

test('a machine without a builder, or without users of their own, says what it lacks', () => {
  expect(detectBuilder(sandbox('user', '/none'))).toEqual({
    able: false,
    why:
      'This machine cannot build images, so it cannot host services with the runtime docker: ' +
      'buildah was not found in /none.',
  });
  expect(detectBuilder(sandbox('process', '/usr/bin'))).toMatchObject({
    able: false,
    why: expect.stringContaining('images need a server that runs as root'),
  });
});
