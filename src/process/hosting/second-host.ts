import type { Config } from '../../config.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { createRestHosting } from '../../providers/hosting/rest/rest-hosting.ts';

/** Opens the provider of the configured second host, if any. */
export function openSecondHost({ secondHost }: Config): HostingProvider | undefined {
  return secondHost === undefined ? undefined : createRestHosting(secondHost);
}
