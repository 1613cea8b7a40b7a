import { z } from 'zod';
import { OFFICERS_MAX, type Officer } from '../../domain/company/officer.ts';
import type { Registry } from '../../domain/company/registries.ts';
import type { RegistryRecord } from '../../domain/company/report.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';
import { normalizeInstant, parseDay, readRecords } from './read-record.ts';

const Text = z.string().nullish();
const Company = z.object({
  siren: z.string().regex(/^\d{9}$/),
  nom_complet: z.string().min(1),
  nom_raison_sociale: Text,
  sigle: Text,
  date_creation: Text,
  date_fermeture: Text,
  etat_administratif: Text,
  nature_juridique: Text,
  date_mise_a_jour: Text,
  siege: z.object({ adresse: Text }).nullish(),
});
const Found = z.object({ results: z.array(Company) });
const Manager = z.object({ nom: Text, prenoms: Text, denomination: Text, qualite: Text });
const Managed = z.object({
  results: z.array(z.object({ siren: z.string(), dirigeants: z.array(Manager).nullish() })),
});

/** Creates the French company registry, under the Licence Ouverte. */
export function createFranceRegistry(reader: UpstreamReader): Registry {
  const search: Registry['findByName'] = (text, limits) => {
    return readRecords(
      reader,
      { upstream: 'recherche', path: searchPath(text), ...limits },
      (body) => Found.safeParse(body).data?.results.map(toRecord),
    );
  };
  return {
    id: 'recherche',
    jurisdiction: 'fr',
    missing: [],
    isNumber: isSiren,
    findByName: search,
    findByNumber: async (number, limits) => {
      const reading = await search(number, limits);
      if (!reading.ok) return reading;
      // The search also matches other fields than numbers.
      return { ...reading, value: reading.value.filter((record) => record.number === number) };
    },
    listOfficers: (number, limits) =>
      readRecords(
        reader,
        { upstream: 'recherche', path: searchPath(number), ...limits },
        (body) => readManagers(body, number),
        OFFICERS_MAX,
      ),
  };
}

function searchPath(text: string): string {
  return `/search?${new URLSearchParams({ q: text, per_page: '20' }).toString()}`;
}

function readManagers(body: unknown, siren: string): readonly Officer[] | undefined {
  const companies = Managed.safeParse(body).data?.results;
  const rows = companies?.filter((one) => one.siren === siren);
  const managers = rows?.flatMap(({ dirigeants }) => dirigeants ?? []);
  return managers?.flatMap(({ nom, prenoms, denomination, qualite }) => {
    const name = denomination ?? [prenoms, nom].filter(Boolean).join(' ');
    return name === '' ? [] : [{ name, role: qualite ?? 'dirigeant', since: null }];
  });
}

/** Returns whether a text has nine digits with a valid check digit (Luhn). */
function isSiren(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  const sum = text.split('').reduce((all, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return all + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function toRecord(company: z.infer<typeof Company>): RegistryRecord {
  const { siren, nom_complet, nom_raison_sociale, sigle, etat_administratif: state } = company;
  const others = [nom_raison_sociale, sigle].filter((name) => typeof name === 'string');
  return {
    registry: 'recherche',
    jurisdiction: 'fr',
    entity_name: nom_complet,
    number: siren,
    status: state === 'A' ? 'active' : state === 'C' ? 'dissolved' : 'unknown',
    status_raw: state ?? null,
    incorporated_on: parseDay(company.date_creation),
    dissolved_on: parseDay(company.date_fermeture),
    type: company.nature_juridique ?? null,
    address: company.siege?.adresse ?? null,
    lei: null,
    other_names: others.filter((name) => name !== nom_complet),
    record_url: `https://annuaire-entreprises.data.gouv.fr/entreprise/${siren}`,
    as_of: normalizeInstant(company.date_mise_a_jour),
  };
}
