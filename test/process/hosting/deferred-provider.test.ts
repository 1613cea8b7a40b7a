import { expect, test } from 'vitest';
import { AppError } from '../../../src/domain/common/error.ts';
import { deferProvider } from '../../../src/process/hosting/deferred-provider.ts';
import { hostingWorld, WORKSPACES } from '../../support/hosting-world.ts';

const [ALPHA] = WORKSPACES;

test('the first call opens the provider, once for calls at the same time', async () => {
  let opened = 0;
  const { provider, current } = deferProvider(async () => {
    opened += 1;
    return hostingWorld().provider;
  });
  expect(opened).toBe(0);
  expect(current()).toBeUndefined();
  const [page, services] = await Promise.all([
    provider.workspaces.list({ limit: 10 }),
    provider.services.list({ ownerId: ALPHA.id, limit: 10 }),
  ]);
  expect(page.items.map(({ item }) => item)).toEqual(WORKSPACES);
  expect(services.items).toEqual([]);
  expect(opened).toBe(1);
  expect(current()).toBeDefined();
});

test('a call that cannot open it gets the reason, and the next call tries again', async () => {
  let isAble = false;
  const { provider, current } = deferProvider(async () => {
    if (!isAble) throw new AppError('NOT_CONFIGURED', { message: 'no cgroups' });
    return hostingWorld().provider;
  });
  await expect(provider.services.get('srv-x')).rejects.toMatchObject({
    code: 'NOT_CONFIGURED',
    message: 'no cgroups',
  });
  expect(current()).toBeUndefined();
  isAble = true;
  await expect(provider.services.get('srv-x')).rejects.toMatchObject({ code: 'RESOURCE_UNKNOWN' });
});

test('closing waits for the opening, closes what it opened and opens nothing more', async () => {
  let closed = 0;
  let finish: () => void = () => undefined;
  const world = hostingWorld().provider;
  const { provider } = deferProvider(async () => {
    await new Promise<void>((done) => {
      finish = done;
    });
    return Object.assign(world, {
      close: async () => {
        closed += 1;
      },
    });
  });
  const listed = provider.workspaces.list({ limit: 1 });
  const closing = provider.close();
  finish();
  await Promise.all([listed, closing]);
  expect(closed).toBe(1);
  await expect(provider.listFeatures()).rejects.toMatchObject({ code: 'HOST_UNAVAILABLE' });
});

test('closing a provider that nobody called opens nothing', async () => {
  let opened = 0;
  const { provider } = deferProvider(async () => {
    opened += 1;
    return hostingWorld().provider;
  });
  await provider.close();
  expect(opened).toBe(0);
});
