// @ts-check
import '../data/silence-output.mjs';
import { Parser } from 'htmlparser2';

/**
 * @typedef {'unitedNations' | 'europeanUnion' | 'ofac' | 'unitedKingdom'} XmlListFormat - The XML
 *   list formats that are supported.
 *
 * @typedef {object} ListTask
 * @property {Uint8Array} body
 * @property {number} pieceParties - Parties per piece that is returned.
 *
 * @typedef {object} XmlListOptions
 * @property {XmlListFormat} form
 * @property {string} list - Name of the list.
 * @property {number} partiesMax - Most parties. A larger list is rejected.
 *
 * @typedef {object} Leaf - An element within a row.
 * @property {string} path - Names from below the row, joined by `/`.
 * @property {string} group - Number of the leaf in its row; empty for the row itself.
 * @property {string | null} within - Group of its parent.
 * @property {string} name
 * @property {Readonly<Record<string, string>>} attributes
 * @property {string} text
 *
 * @typedef {ReturnType<typeof createRow>} Row
 *
 * @typedef {object} Format
 * @property {string} root - Name of the root element.
 * @property {readonly string[]} rows - Names of the elements that are parties.
 * @property {string} [count] - Path of the stated number of parties.
 * @property {string} [dated] - Path of the date, if the format requires one.
 * @property {(row: Row) => FoundParty} party
 *
 * @typedef {object} FoundParty
 * @property {string | undefined} id
 * @property {string | null} kind
 * @property {readonly string[]} names
 * @property {readonly string[]} programs
 * @property {readonly string[]} countries
 */

const DEPTH_MAX = 24;
const NAMES_MAX = 60;
const PROGRAMS_MAX = 20;
const COUNTRIES_MAX = 10;
const CHARS_MAX = 400;
const BRITISH_NAME = ['Name1', 'Name2', 'Name3', 'Name4', 'Name5', 'Name6'];

/** @type {Readonly<Record<XmlListFormat, Format>>} */
const FORMATS = {
  unitedNations: {
    root: 'CONSOLIDATED_LIST',
    rows: ['INDIVIDUAL', 'ENTITY'],
    party: (row) => {
      const whole = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']
        .flatMap((part) => row.texts(part).slice(0, 1))
        .join(' ');
      const aliases = ['INDIVIDUAL_ALIAS', 'ENTITY_ALIAS'].flatMap((alias) =>
        row.texts(`${alias}/ALIAS_NAME`),
      );
      return {
        id: row.texts('REFERENCE_NUMBER')[0] ?? row.texts('DATAID')[0],
        kind: row.name === 'ENTITY' ? 'Entity' : 'Individual',
        names: [
          whole,
          ...row.texts('NAME_ORIGINAL_SCRIPT'),
          ...aliases.flatMap((text) => text.split(';')),
        ],
        programs: row.texts('UN_LIST_TYPE'),
        countries: [
          'INDIVIDUAL_ADDRESS/COUNTRY',
          'ENTITY_ADDRESS/COUNTRY',
          'NATIONALITY/VALUE',
        ].flatMap(row.texts),
      };
    },
  },
  europeanUnion: {
    root: 'export',
    rows: ['sanctionEntity'],
    party: (row) => ({
      id: row.values('', 'euReferenceNumber')[0] ?? row.values('', 'logicalId')[0],
      kind: row.values('subjectType', 'code')[0] ?? null,
      names: row.values('nameAlias', 'wholeName'),
      programs: row.values('regulation', 'programme'),
      countries: [
        ...row.values('address', 'countryDescription'),
        ...row.values('citizenship', 'countryDescription'),
      ],
    }),
  },
  ofac: {
    root: 'sdnList',
    rows: ['sdnEntry'],
    count: 'sdnList/publshInformation/Record_Count',
    party: (row) => ({
      id: row.texts('uid')[0],
      kind: row.texts('sdnType')[0] ?? null,
      names: [row.joined(''), ...row.groups('akaList/aka').map((group) => row.joined(group))],
      programs: row.texts('programList/program'),
      countries: [
        ...row.texts('addressList/address/country'),
        ...row.texts('nationalityList/nationality/country'),
      ],
    }),
  },
  unitedKingdom: {
    root: 'Designations',
    rows: ['Designation'],
    dated: 'Designations/DateGenerated',
    party: (row) => {
      const names = row.groups('Names/Name');
      const isFirst = (/** @type {string} */ group) =>
        row.joined(group, ['NameType']).toLowerCase() === 'primary name';
      const sorted = [...names.filter(isFirst), ...names.filter((group) => !isFirst(group))];
      return {
        id: row.texts('UniqueID')[0],
        kind: row.texts('IndividualEntityShip')[0] ?? null,
        names: [
          ...sorted.map((group) => row.joined(group, BRITISH_NAME)),
          ...row.named('NameNonLatinScript'),
        ],
        programs: row.texts('RegimeName'),
        countries: ['AddressCountry', 'Nationality', 'CurrentBelievedFlagOfShip'].flatMap(
          row.named,
        ),
      };
    },
  },
};

/**
 * Parses the consolidated list of tens of megabytes. It returns the needed parts in pieces of text,
 * so that no piece blocks the event loop for long.
 *
 * @param {ListTask} task
 * @returns The pieces, or `null` if the list cannot be parsed.
 */
export function readConsolidatedList({ body, pieceParties }) {
  try {
    const { results } = JSON.parse(new TextDecoder().decode(body));
    if (!Array.isArray(results) || results.length === 0) return null;
    return toPieces(results.map(toConsolidatedParty), pieceParties);
  } catch {
    return null;
  }
}

/**
 * Parses an XML list and returns the needed parts in pieces of text. A list is accepted only if it
 * is complete: its root is closed, it has as many entries as it states, it has a date if its format
 * requires one, and each entry has an id and a name. Declared entities and deep nesting are
 * rejected.
 *
 * @param {ListTask & XmlListOptions} task
 * @returns The pieces, or `null` if the list is not accepted.
 */
export function readXmlList({ body, pieceParties, ...options }) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return toPieces(new XmlListReader(text, options).readParties(), pieceParties);
  } catch {
    return null;
  }
}

/**
 * @param {readonly object[]} parties
 * @param {number} pieceParties
 */
function toPieces(parties, pieceParties) {
  const pieces = [];
  for (let at = 0; at < parties.length; at += pieceParties) {
    pieces.push(JSON.stringify(parties.slice(at, at + pieceParties)));
  }
  return pieces;
}

/** @param {Partial<Record<string, unknown>> | null} row */
function toConsolidatedParty(row) {
  const [id, list, name] = [toText(row?.['id']), toText(row?.['source']), toText(row?.['name'])];
  if (row === null || id === null || list === null || name === null) {
    throw new TypeError('a row has an id, a list and a name');
  }
  const addresses = Array.isArray(row['addresses']) ? row['addresses'] : [];
  return {
    id,
    list,
    kind: toText(row['type']),
    names: [name, ...toTexts(row['alt_names'])].slice(0, NAMES_MAX),
    programs: toTexts(row['programs']),
    countries: unique(toTexts(addresses.map((one) => one?.country))).slice(0, COUNTRIES_MAX),
  };
}

/** @param {unknown} value */
function toText(value) {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** @param {unknown} value */
function toTexts(value) {
  return Array.isArray(value) ? value.flatMap((one) => toText(one) ?? []) : [];
}

/**
 * @template T
 * @param {readonly T[]} values
 */
function unique(values) {
  return [...new Set(values)];
}

/** Reads the parties of one XML list. */
class XmlListReader {
  #options;
  #format;
  #text;
  /** @type {string[]} */
  #stack = [];
  /** @type {object[]} */
  #parties = [];
  /** @type {{ name: string, depth: number, leaves: Leaf[], open: Leaf[] } | null} */
  #row = null;
  /** @type {string | undefined} */
  #counted;
  #dated = '';
  #isWhole = false;

  /**
   * @param {string} text
   * @param {XmlListOptions} options
   */
  constructor(text, options) {
    this.#text = text;
    this.#options = options;
    this.#format = FORMATS[options.form];
  }

  /** @throws {Error} If the list is not accepted. */
  readParties() {
    const parser = new Parser(
      {
        onprocessinginstruction: (name) => {
          if (name.toLowerCase() === '!doctype') throw new Error('declared');
        },
        onopentag: (name, attributes) => this.#open(name, attributes),
        ontext: (piece) => this.#addText(piece),
        onclosetag: (name, isImplied) => {
          // The parser reports the end of <a/> as implied, too.
          const isSelfClosed = isImplied && this.#text[parser.endIndex - 1] === '/';
          if (isImplied && !isSelfClosed) throw new Error('not closed');
          this.#close(name);
        },
      },
      { xmlMode: true, decodeEntities: true },
    );
    parser.write(this.#text);
    parser.end();
    const { count, dated } = this.#format;
    const isCounted = count === undefined || Number(this.#counted) === this.#parties.length;
    const isDated = dated === undefined || this.#dated.trim() !== '';
    if (!this.#isWhole || !isCounted || !isDated || this.#parties.length === 0) {
      throw new Error('not whole');
    }
    return this.#parties;
  }

  /**
   * @param {string} name
   * @param {Readonly<Record<string, string>>} attributes
   */
  #open(name, attributes) {
    const stack = this.#stack;
    if (stack.length === 0 && name !== this.#format.root) throw new Error('another root');
    if (stack.length >= DEPTH_MAX || this.#isWhole) throw new Error('too deep, or behind its end');
    stack.push(name);
    const row = this.#row;
    if (row === null) {
      if (!this.#format.rows.includes(name)) return;
      const own = { path: '', group: '', within: null, name, attributes, text: '' };
      this.#row = { name, depth: stack.length, leaves: [own], open: [own] };
      return;
    }
    const path = stack.slice(row.depth).join('/');
    const group = String(row.leaves.length);
    const within = row.open.at(-1)?.group ?? null;
    const leaf = { path, group, within, name, attributes, text: '' };
    row.leaves.push(leaf);
    row.open.push(leaf);
  }

  /** @param {string} piece */
  #addText(piece) {
    const { count, dated } = this.#format;
    const leaf = this.#row?.open.at(-1);
    if (leaf !== undefined) leaf.text += piece;
    else if (count === this.#stack.join('/')) this.#counted = (this.#counted ?? '') + piece;
    else if (dated === this.#stack.join('/')) this.#dated += piece;
  }

  /** @param {string} name */
  #close(name) {
    if (this.#stack.pop() !== name) throw new Error('not closed');
    if (this.#stack.length === 0) this.#isWhole = true;
    const row = this.#row;
    if (row === null) return;
    row.open.pop();
    if (row.open.length > 0) return;
    this.#parties.push(this.#toParty(row));
    this.#row = null;
    if (this.#parties.length > this.#options.partiesMax) throw new Error('too many');
  }

  /** @param {{ name: string, leaves: readonly Leaf[] }} row */
  #toParty({ name, leaves }) {
    const { list } = this.#options;
    const { id, kind, ...party } = this.#format.party(createRow(name, leaves));
    const names = unique(party.names.map((one) => one.trim().slice(0, CHARS_MAX)))
      .filter((one) => one !== '')
      .slice(0, NAMES_MAX);
    if (id === undefined || names.length === 0) throw new Error('a row without id or name');
    return {
      id,
      list,
      kind,
      names,
      programs: unique(party.programs).slice(0, PROGRAMS_MAX),
      countries: unique(party.countries).slice(0, COUNTRIES_MAX),
    };
  }
}

/**
 * Creates the accessors of a row.
 *
 * @param {string} name
 * @param {readonly Leaf[]} leaves
 */
function createRow(name, leaves) {
  const at = (/** @type {string} */ path) => leaves.filter((leaf) => leaf.path === path);
  return {
    name,
    /** @type {(path: string) => string[]} */
    texts: (path) => trimAll(at(path).map((leaf) => leaf.text)),
    /** @type {(path: string, attribute: string) => string[]} */
    values: (path, attribute) => trimAll(at(path).map((leaf) => leaf.attributes[attribute] ?? '')),
    /** @type {(path: string) => string[]} */
    groups: (path) => unique(at(path).map((leaf) => leaf.group)),
    /** @type {(part: string) => string[]} */
    named: (part) => trimAll(leaves.filter((leaf) => leaf.name === part).map((leaf) => leaf.text)),
    joined: (/** @type {string} */ group, parts = ['firstName', 'lastName']) => {
      const inGroup = leaves.filter((leaf) => leaf.within === group);
      const texts = (/** @type {string} */ part) =>
        trimAll(inGroup.filter((leaf) => leaf.name === part).map((leaf) => leaf.text));
      return parts.flatMap(texts).join(' ');
    },
  };
}

/** @param {readonly string[]} values */
function trimAll(values) {
  return values.map((value) => value.trim()).filter((value) => value !== '');
}
