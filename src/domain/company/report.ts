import { z } from 'zod';

const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

/** Status of an entity, unified over all registries. */
export const EntityStatus = z.enum(['active', 'inactive', 'dissolved', 'insolvent', 'unknown']);
/** One of the {@link EntityStatus} values. */
export type EntityStatus = z.infer<typeof EntityStatus>;

/** A registry record before it is part of an answer. Unknown values are `null`. */
export const RegistryRecord = z.object({
  registry: z.string(),
  jurisdiction: z.string(),
  entity_name: z.string(),
  number: z.string().describe('Number in the registry; for an LEI, the LEI itself.'),
  status: EntityStatus,
  status_raw: z.string().nullable().describe('Status as stated by the registry.'),
  incorporated_on: Day.nullable(),
  dissolved_on: Day.nullable(),
  type: z.string().nullable(),
  address: z.string().nullable(),
  lei: z.string().nullable(),
  other_names: z.array(z.string()),
  record_url: z.string().nullable(),
  website: z.string().nullish().describe('Website of the entity, if the registry has one.'),
  as_of: z.iso
    .datetime()
    .nullable()
    .describe('When the registry last changed the record, if known.'),
});
/** A parsed {@link RegistryRecord}. */
export type RegistryRecord = z.infer<typeof RegistryRecord>;

/** A record in an answer, with its match score. */
export const MatchedRecord = RegistryRecord.extend({
  match: z.object({
    score: z.number().min(0).max(1),
    method: z.enum(['number', 'exact', 'same_words', 'similar']),
  }),
  cited: z.string(),
});
/** A parsed {@link MatchedRecord}. */
export type MatchedRecord = z.infer<typeof MatchedRecord>;

/** Result for one entity. */
export const RegistryReport = z.object({
  query: z.object({ name: z.string().nullable(), number: z.string().nullable() }),
  outcome: z
    .enum(['found', 'ambiguous', 'no_match'])
    .describe(
      'ambiguous: several match; repeat with a number. no_match: covers searched registries only.',
    ),
  records: z.array(MatchedRecord).describe('Records of the entity.'),
  candidates: z.array(MatchedRecord).describe('Other possible matches, most likely first.'),
  searched: z.array(
    z.object({ registry: z.string(), answered: z.boolean(), cited: z.string().nullable() }),
  ),
});
/** A parsed {@link RegistryReport}. */
export type RegistryReport = z.infer<typeof RegistryReport>;
