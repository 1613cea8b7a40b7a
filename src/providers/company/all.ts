import type { Registry } from '../../domain/company/registries.ts';
import type { Filings } from '../../domain/filing/filings.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';
import { france } from './france.ts';
import { gleif } from './gleif.ts';
import { norway } from './norway.ts';
import { securitiesRegistry } from './securities.ts';
import { stateRegistries } from './states.ts';
import { unitedKingdom } from './united-kingdom.ts';

/** The dependencies of the registries. */
export interface RegistryParts {
  readonly reader: UpstreamReader;
  readonly filings: Filings;
  /** API key of UK Companies House. */
  readonly companiesHouseKey: string | undefined;
}

/** Creates all supported company registries. */
export function allRegistries(parts: RegistryParts): readonly Registry[] {
  const { reader, filings, companiesHouseKey } = parts;
  return [
    gleif(reader),
    securitiesRegistry(reader, filings),
    ...stateRegistries(reader),
    unitedKingdom(reader, companiesHouseKey),
    norway(reader),
    france(reader),
  ];
}
