import { AppError } from '../../domain/common/error.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';

type GroupName = Exclude<keyof HostingProvider, 'id' | 'listFeatures' | 'close'>;

/** A provider that opens with the first call to it. */
export interface DeferredProvider {
  readonly provider: HostingProvider;
  /** Opens the provider now. */
  open(): Promise<HostingProvider>;
  /** Returns the open provider; `undefined` before the first call has opened it. */
  current(): HostingProvider | undefined;
}

/**
 * Creates a provider that is opened by the first call, so that a server whose hosting nobody uses
 * starts no process for it. If it cannot be opened, the call gets the error and the next call tries
 * again.
 *
 * @param open - Opens the provider. It is never called twice at a time.
 */
export function deferProvider(open: () => Promise<HostingProvider>): DeferredProvider {
  let opened: HostingProvider | undefined;
  let opening: Promise<HostingProvider> | undefined;
  let isClosed = false;

  function use(): Promise<HostingProvider> {
    if (isClosed) return Promise.reject(new AppError('HOST_UNAVAILABLE'));
    opening ??= open().then(
      (provider) => {
        opened = provider;
        return provider;
      },
      (thrown: unknown) => {
        opening = undefined;
        throw thrown;
      },
    );
    return opening;
  }

  function defer<Name extends GroupName>(
    name: Name,
    own: Partial<HostingProvider[Name]> = {},
  ): HostingProvider[Name] {
    const get = (_target: object, method: string | symbol): unknown =>
      Reflect.get(own, method) ??
      (async (...args: unknown[]): Promise<unknown> => {
        const group: object = (await use())[name];
        return Reflect.apply(Reflect.get(group, method), group, args);
      });
    return new Proxy({}, { get }) as HostingProvider[Name];
  }

  const provider: HostingProvider = {
    id: 'local',
    listFeatures: async () => (await use()).listFeatures(),
    workspaces: defer('workspaces'),
    services: defer('services', {
      // A service exists only once the provider is open.
      settingsUrl: (id) => opened?.services.settingsUrl(id) ?? '',
    }),
    deploys: defer('deploys'),
    events: defer('events'),
    logs: defer('logs', {
      async *tail(filters, signal) {
        yield* (await use()).logs.tail(filters, signal);
      },
    }),
    metrics: defer('metrics'),
    postgres: defer('postgres'),
    keyValue: defer('keyValue'),
    close: async () => {
      isClosed = true;
      await opening?.then(
        (found) => found.close(),
        () => undefined,
      );
    },
  };
  return { provider, open: use, current: () => opened };
}
