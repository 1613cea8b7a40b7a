import type { Services } from '../../actors/common/services.ts';
import type { DiligencePorts } from '../../actors/company/diligence-ports.ts';
import type { VettingPorts } from '../../actors/vetting/lenses.ts';
import { readFeeds } from '../news/read-feeds.ts';

/** The services of a due diligence. */
export type DiligenceServices = VettingPorts &
  Pick<Services, 'feeds' | 'pages' | 'relations' | 'scorer'>;

/** Adds the curated news to the services of a due diligence. */
export function createDiligencePorts(services: DiligenceServices): DiligencePorts {
  const { feeds } = services;
  return { ...services, readNews: (deadline) => readFeeds(feeds, feeds.feeds, deadline) };
}
