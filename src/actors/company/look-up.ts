import type { Registry } from '../../domain/company/registries.ts';
import type { RegistryRecord } from '../../domain/company/report.ts';
import type { DataFault } from '../../domain/data/fault.ts';
import type { SourceFacts } from '../../domain/data/source.ts';
import type { ReadLimits } from '../../domain/filing/filings.ts';

/** Whom to look up: by number where there is one, else by name. */
export interface EntityQuery {
  readonly name?: string | undefined;
  readonly number?: string | undefined;
}

/** What one registry answered. */
export interface RegistryAnswer {
  readonly registry: string;
  readonly source: SourceFacts | null;
  readonly records: readonly RegistryRecord[];
  readonly fault: DataFault | null;
}

/** Asks registries for an entity, all at the same time. Never throws for what one of them does. */
export function lookUp(
  registries: readonly Registry[],
  { name = '', number }: EntityQuery,
  limits: ReadLimits,
): Promise<readonly RegistryAnswer[]> {
  return Promise.all(
    registries.map(async (registry): Promise<RegistryAnswer> => {
      const reading =
        number === undefined
          ? await registry.byName(name, limits)
          : await registry.byNumber(number, limits);
      if (!reading.ok)
        return { registry: registry.id, source: null, records: [], fault: reading.fault };
      const { source, value } = reading;
      return { registry: registry.id, source, records: value, fault: null };
    }),
  );
}
