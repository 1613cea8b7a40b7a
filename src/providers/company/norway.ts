import { z } from 'zod';
import { OFFICERS_MAX, type Officer } from '../../domain/company/officer.ts';
import type { Registry } from '../../domain/company/registries.ts';
import type { RegistryRecord } from '../../domain/company/report.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';
import { joinAddress, parseDay, readRecords } from './read-record.ts';

const PAGES = 'https://data.brreg.no/enhetsregisteret/oppslag/enheter/';
const Text = z.string().nullish();
const Unit = z.object({
  organisasjonsnummer: z.string().regex(/^\d{9}$/),
  navn: z.string().min(1),
  organisasjonsform: z.object({ kode: z.string(), beskrivelse: Text }).nullish(),
  registreringsdatoEnhetsregisteret: Text,
  stiftelsesdato: Text,
  slettedato: Text,
  hjemmeside: Text,
  konkurs: z.boolean().nullish(),
  underAvvikling: z.boolean().nullish(),
  forretningsadresse: z
    .object({
      adresse: z.array(z.string().nullable()).nullish(),
      postnummer: Text,
      poststed: Text,
      land: Text,
    })
    .nullish(),
});
const Found = z.object({ _embedded: z.object({ enheter: z.array(Unit) }).optional() });

const Role = z.object({
  type: z.object({ beskrivelse: z.string().min(1) }),
  person: z
    .object({ navn: z.object({ fornavn: Text, mellomnavn: Text, etternavn: Text }) })
    .nullish(),
  enhet: z.object({ navn: z.union([z.string(), z.array(z.string())]).nullish() }).nullish(),
  fratraadt: z.boolean().nullish(),
  avregistrert: z.boolean().nullish(),
});
const Roles = z.object({ rollegrupper: z.array(z.object({ roller: z.array(Role) })) });

/** Creates the Norwegian registry of legal entities, under NLOD. */
export function createNorwayRegistry(reader: UpstreamReader): Registry {
  const upstream = 'brreg';
  const root = '/enhetsregisteret/api/enheter';
  return {
    id: 'brreg',
    jurisdiction: 'no',
    missing: [],
    isNumber: isOrganisationNumber,
    findByName: (name, limits) => {
      const path = `${root}?${new URLSearchParams({ navn: name, size: '20' }).toString()}`;
      return readRecords(reader, { upstream, path, ...limits }, (body) => {
        const { data } = Found.safeParse(body);
        return data === undefined || !hasPage(body)
          ? undefined
          : (data._embedded?.enheter ?? []).map(toRecord);
      });
    },
    findByNumber: (number, limits) =>
      readRecords(reader, { upstream, path: `${root}/${number}`, ...limits }, (body) => {
        const { data } = Unit.safeParse(body);
        return data === undefined ? undefined : [toRecord(data)];
      }),
    listOfficers: (number, limits) => {
      const path = `${root}/${number}/roller`;
      const rows = (body: unknown) =>
        Roles.safeParse(body).data?.rollegrupper.flatMap(({ roller }) =>
          roller.flatMap(toOfficers),
        );
      return readRecords(reader, { upstream, path, ...limits }, rows, OFFICERS_MAX);
    },
  };
}

/** Returns the officer of a role, or none if the role has ended. */
function toOfficers(role: z.infer<typeof Role>): readonly Officer[] {
  if (role.fratraadt === true || role.avregistrert === true) return [];
  const { fornavn, mellomnavn, etternavn } = role.person?.navn ?? {};
  const person = [fornavn, mellomnavn, etternavn].filter((part) => typeof part === 'string');
  const names = role.person === null || role.person === undefined ? role.enhet?.navn : person;
  const name = [names ?? []].flat().join(' ').trim();
  return name === '' ? [] : [{ name, role: role.type.beskrivelse, since: null }];
}

/** Returns whether an answer is a page: one without hits has no list of them. */
function hasPage(body: unknown): boolean {
  return z.object({ page: z.object({ totalElements: z.int() }) }).safeParse(body).success;
}

/** Returns whether a text has nine digits with a valid check digit (modulus 11). */
function isOrganisationNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  const weights = [3, 2, 7, 6, 5, 4, 3, 2, 1];
  const sum = weights.reduce((all, weight, at) => all + weight * Number(text[at]), 0);
  return sum % 11 === 0;
}

function toRecord(unit: z.infer<typeof Unit>): RegistryRecord {
  const { organisasjonsform: form, forretningsadresse: address } = unit;
  const [status, raw] = readStatus(unit);
  return {
    registry: 'brreg',
    jurisdiction: 'no',
    entity_name: unit.navn,
    number: unit.organisasjonsnummer,
    status,
    status_raw: raw,
    incorporated_on: parseDay(unit.stiftelsesdato ?? unit.registreringsdatoEnhetsregisteret),
    dissolved_on: parseDay(unit.slettedato),
    type: form?.beskrivelse ?? form?.kode ?? null,
    address: joinAddress([
      ...(address?.adresse ?? []),
      ...[address?.postnummer, address?.poststed, address?.land],
    ]),
    lei: null,
    other_names: [],
    as_of: null,
    website: unit.hjemmeside ?? null,
    record_url: `${PAGES}${unit.organisasjonsnummer}`,
  };
}

function readStatus(unit: z.infer<typeof Unit>): [RegistryRecord['status'], string | null] {
  if (parseDay(unit.slettedato) !== null) return ['dissolved', 'slettet'];
  if (unit.konkurs === true) return ['insolvent', 'konkurs'];
  if (unit.underAvvikling === true) return ['inactive', 'under avvikling'];
  return ['active', null];
}
