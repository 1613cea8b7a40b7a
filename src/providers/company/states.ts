import { z } from 'zod';
import { normalizeName } from '../../domain/company/names.ts';
import type { Registry } from '../../domain/company/registries.ts';
import type { RegistryRecord } from '../../domain/company/report.ts';
import type { UpstreamReader } from '../data/upstream-reader.ts';
import type { UpstreamId } from '../data/upstreams.ts';
import { joinAddress, parseDay, readRecords } from './read-record.ts';

/** Most words of a name in a query. The remaining words are compared here. */
const WORDS_SEARCHED_MAX = 3;

interface StateFacts {
  readonly upstream: UpstreamId;
  readonly jurisdiction: string;
  /** Id of the data set. `nameColumn` and `numberColumn` name its columns. */
  readonly dataset: string;
  readonly nameColumn: string;
  readonly numberColumn: string;
  readonly toRecord: (row: Readonly<Record<string, string>>) => RegistryRecord | undefined;
}

/** Creates the registries of US states that are published as open data. */
export function createStateRegistries(reader: UpstreamReader): readonly Registry[] {
  return STATES.map((state) => createStateRegistry(reader, state));
}

function createStateRegistry(reader: UpstreamReader, state: StateFacts): Registry {
  const { upstream, jurisdiction, dataset, nameColumn, numberColumn } = state;
  const rows = (where: string, limits: Parameters<Registry['findByName']>[1]) => {
    const query = new URLSearchParams({ $where: where, $limit: '20' });
    const path = `/resource/${dataset}.json?${query.toString()}`;
    return readRecords(reader, { upstream, path, ...limits }, (body) =>
      readRecordRows(body, state),
    );
  };
  return {
    id: upstream,
    jurisdiction,
    missing: [],
    isNumber: isEntityNumber,
    findByName: (name, limits) => {
      // Words consist of letters and digits only, so no name can break out of the query string.
      const words = normalizeName(name).words.slice(0, WORDS_SEARCHED_MAX);
      return rows(`upper(${nameColumn}) like '%${words.join('%').toUpperCase()}%'`, limits);
    },
    findByNumber: (number, limits) =>
      rows(`${numberColumn}='${number.replace(/\D/g, '')}'`, limits),
  };
}

/** Returns whether a text is an entity number. Both states use digits only. */
function isEntityNumber(text: string): boolean {
  return /^\d{1,12}$/.test(text);
}

const Rows = z.array(z.record(z.string(), z.unknown()));

function readRecordRows(
  body: unknown,
  { toRecord }: StateFacts,
): readonly RegistryRecord[] | undefined {
  const { data } = Rows.safeParse(body);
  const records = data?.map((row) => {
    const texts = Object.entries(row).filter((pair): pair is [string, string] => {
      return typeof pair[1] === 'string';
    });
    return toRecord(Object.fromEntries(texts));
  });
  return records?.every((record) => record !== undefined) ? records : undefined;
}

const STATES: readonly StateFacts[] = [
  {
    upstream: 'colorado',
    jurisdiction: 'us-co',
    dataset: '4ykn-tg5h',
    nameColumn: 'entityname',
    numberColumn: 'entityid',
    toRecord: (row) => {
      const { entityid: number = '', entityname: name, entitystatus: raw = null } = row;
      if (!isEntityNumber(number) || name === undefined) return undefined;
      return {
        registry: 'colorado',
        jurisdiction: 'us-co',
        entity_name: name,
        number,
        status: parseColoradoStatus(raw),
        status_raw: raw,
        incorporated_on: parseDay(row['entityformdate']),
        dissolved_on: null,
        type: row['entitytype'] ?? null,
        address: joinAddress([
          ...[row['principaladdress1'], row['principaladdress2'], row['principalcity']],
          ...[row['principalstate'], row['principalzipcode'], row['principalcountry']],
        ]),
        lei: null,
        other_names: [],
        record_url: null,
        as_of: null,
      };
    },
  },
  {
    upstream: 'newyork',
    jurisdiction: 'us-ny',
    dataset: 'n9v6-gdp6',
    nameColumn: 'current_entity_name',
    numberColumn: 'dos_id',
    toRecord: (row) => {
      const { dos_id: number = '', current_entity_name: name } = row;
      if (!isEntityNumber(number) || name === undefined) return undefined;
      return {
        registry: 'newyork',
        jurisdiction: 'us-ny',
        entity_name: name,
        number,
        // The data set contains active entities only.
        status: 'active',
        status_raw: 'in the data set of active entities',
        incorporated_on: parseDay(row['initial_dos_filing_date']),
        dissolved_on: null,
        type: row['entity_type'] ?? null,
        address: joinAddress([
          ...[row['dos_process_address_1'], row['dos_process_city']],
          ...[row['dos_process_state'], row['dos_process_zip']],
        ]),
        lei: null,
        other_names: [],
        record_url: null,
        as_of: null,
      };
    },
  },
];

function parseColoradoStatus(raw: string | null): RegistryRecord['status'] {
  if (raw === null) return 'unknown';
  if (/^(good standing|exists|effective)$/i.test(raw)) return 'active';
  if (/dissol|withdrawn|merged|converted|expired|revoked/i.test(raw)) return 'dissolved';
  return /delinquent|noncompliant/i.test(raw) ? 'inactive' : 'unknown';
}
