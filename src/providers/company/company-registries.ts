import type { Registry } from '../../domain/company/registries.ts';
import type { Filings } from '../../domain/filing/filings.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';
import { createFranceRegistry } from './france.ts';
import { createGleifRegistry } from './gleif.ts';
import { createNorwayRegistry } from './norway.ts';
import { createSecuritiesRegistry } from './securities.ts';
import { createStateRegistries } from './states.ts';
import { createUnitedKingdomRegistry } from './united-kingdom.ts';

/** The dependencies of the registries. */
export interface RegistryDeps {
  readonly reader: UpstreamReader;
  readonly filings: Filings;
  /** API key of UK Companies House. */
  readonly companiesHouseKey: string | undefined;
}

/** Creates all supported company registries. */
export function createRegistries(parts: RegistryDeps): readonly Registry[] {
  const { reader, filings, companiesHouseKey } = parts;
  return [
    createGleifRegistry(reader),
    createSecuritiesRegistry(reader, filings),
    ...createStateRegistries(reader),
    createUnitedKingdomRegistry(reader, companiesHouseKey),
    createNorwayRegistry(reader),
    createFranceRegistry(reader),
  ];
}
