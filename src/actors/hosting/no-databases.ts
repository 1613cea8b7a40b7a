import { AppError } from '../../domain/error.ts';
import type { HostingProvider } from '../../domain/ports/hosting.ts';
import type { LocalProviderParts } from './local-parts.ts';
import { pageOf, unknownResource } from './page.ts';

const WHY = 'This server runs no databases: none is set up on this machine.';

/** Where this machine has no databases: lists are empty, and an order says so. */
export function noDatabases(): LocalProviderParts['databases'] {
  const none: Pick<HostingProvider, 'postgres' | 'keyValue'> = {
    postgres: { ...common(), query: unknown },
    keyValue: common(),
  };
  return {
    ...none,
    abilities: async () => ({ postgres: {}, keyValue: { able: false, why: WHY } }),
  };
}

function common() {
  return {
    list: async (page: Parameters<HostingProvider['postgres']['list']>[0]) => ({
      items: [],
      hasMore: pageOf([], page, 'oldest').hasMore,
    }),
    create: async () => {
      throw new AppError('NOT_CONFIGURED', { message: WHY });
    },
    get: unknown,
    setAllowList: unknown,
    remove: unknown,
    connection: unknown,
  };
}

async function unknown(id: string): Promise<never> {
  throw unknownResource(id);
}
