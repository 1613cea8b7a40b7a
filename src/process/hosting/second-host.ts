import type { Config } from '../../config.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { restHosting } from '../../providers/hosting/rest/rest-hosting.ts';

/** The provider that drives the second host of the configuration, where it names one. */
export function openSecondHost({ secondHost }: Config): HostingProvider | undefined {
  return secondHost === undefined ? undefined : restHosting(secondHost);
}
