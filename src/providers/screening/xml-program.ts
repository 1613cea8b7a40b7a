/** The XML list formats that the program supports. */
export type XmlListFormat = 'unitedNations' | 'europeanUnion' | 'ofac' | 'unitedKingdom';

/** Most parties per list. A larger list is rejected. */
export const LIST_PARTIES_MAX = 200_000;

/**
 * The program of the thread that parses an XML list and returns the needed parts in pieces of text.
 * A list is accepted only if it is complete: its root is closed, it has as many entries as it
 * states, it has a date if its format requires one, and each entry has an id and a name. Declared
 * entities and deep nesting are rejected.
 */
export const XML_LIST_PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { body, parser: address, form, list, pieceParties, partiesMax } = workerData;
const DEPTH_MAX = 24;
const NAMES_MAX = 60;
const CHARS_MAX = 400;
const unique = (values) => [...new Set(values)];
const BRITISH_NAME = ['Name1', 'Name2', 'Name3', 'Name4', 'Name5', 'Name6'];
const FORMS = {
  unitedNations: {
    root: 'CONSOLIDATED_LIST', rows: ['INDIVIDUAL', 'ENTITY'],
    party: (row) => {
      const whole = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']
        .flatMap((part) => row.texts(part).slice(0, 1)).join(' ');
      const aliases = ['INDIVIDUAL_ALIAS', 'ENTITY_ALIAS']
        .flatMap((alias) => row.texts(alias + '/ALIAS_NAME'));
      return {
        id: row.texts('REFERENCE_NUMBER')[0] ?? row.texts('DATAID')[0],
        kind: row.name === 'ENTITY' ? 'Entity' : 'Individual',
        names: [whole, ...row.texts('NAME_ORIGINAL_SCRIPT'),
          ...aliases.flatMap((text) => text.split(';'))],
        programs: row.texts('UN_LIST_TYPE'),
        countries: ['INDIVIDUAL_ADDRESS/COUNTRY', 'ENTITY_ADDRESS/COUNTRY', 'NATIONALITY/VALUE']
          .flatMap(row.texts),
      };
    },
  },
  europeanUnion: {
    root: 'export', rows: ['sanctionEntity'],
    party: (row) => ({
      id: row.values('', 'euReferenceNumber')[0] ?? row.values('', 'logicalId')[0],
      kind: row.values('subjectType', 'code')[0] ?? null,
      names: row.values('nameAlias', 'wholeName'),
      programs: row.values('regulation', 'programme'),
      countries: [...row.values('address', 'countryDescription'),
        ...row.values('citizenship', 'countryDescription')],
    }),
  },
  ofac: {
    root: 'sdnList', rows: ['sdnEntry'], count: 'sdnList/publshInformation/Record_Count',
    party: (row) => ({
      id: row.texts('uid')[0],
      kind: row.texts('sdnType')[0] ?? null,
      names: [row.joined(''), ...row.groups('akaList/aka').map((group) => row.joined(group))],
      programs: row.texts('programList/program'),
      countries: [...row.texts('addressList/address/country'),
        ...row.texts('nationalityList/nationality/country')],
    }),
  },
  unitedKingdom: {
    root: 'Designations', rows: ['Designation'], dated: 'Designations/DateGenerated',
    party: (row) => {
      const names = row.groups('Names/Name');
      const isFirst = (group) => row.joined(group, ['NameType']).toLowerCase() === 'primary name';
      const sorted = [...names.filter(isFirst), ...names.filter((group) => !isFirst(group))];
      return {
        id: row.texts('UniqueID')[0],
        kind: row.texts('IndividualEntityShip')[0] ?? null,
        names: [...sorted.map((group) => row.joined(group, BRITISH_NAME)),
          ...row.named('NameNonLatinScript')],
        programs: row.texts('RegimeName'),
        countries: ['AddressCountry', 'Nationality', 'CurrentBelievedFlagOfShip']
          .flatMap(row.named),
      };
    },
  },
};
function rowOf(name, leaves) {
  const clean = (values) => values.map((value) => value.trim()).filter((value) => value !== '');
  const at = (path) => leaves.filter((leaf) => leaf.path === path);
  const texts = (path) => clean(at(path).map((leaf) => leaf.text));
  return {
    name, texts,
    values: (path, attribute) => clean(at(path).map((leaf) => leaf.attributes[attribute] ?? '')),
    groups: (path) => unique(at(path).map((leaf) => leaf.group)),
    named: (part) => clean(leaves.filter((leaf) => leaf.name === part).map((leaf) => leaf.text)),
    joined: (group, parts = ['firstName', 'lastName']) => parts.flatMap((part) => clean(leaves
      .filter((leaf) => leaf.within === group && leaf.name === part)
      .map((leaf) => leaf.text))).join(' '),
  };
}
function partyOf(shape, name, leaves) {
  const party = shape.party(rowOf(name, leaves));
  const names = unique(party.names.map((one) => one.trim().slice(0, CHARS_MAX)))
    .filter((one) => one !== '').slice(0, NAMES_MAX);
  if (party.id === undefined || names.length === 0) throw new Error('a row without id or name');
  return {
    id: party.id, list, kind: party.kind, names,
    programs: unique(party.programs).slice(0, 20), countries: unique(party.countries).slice(0, 10),
  };
}
(async () => {
  const { Parser } = await import(address);
  const shape = FORMS[form];
  const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  const stack = [];
  const parties = [];
  let row = null;
  let counted;
  let dated = '';
  let isWhole = false;
  const parser = new Parser({
    onprocessinginstruction: (name) => {
      if (name.toLowerCase() === '!doctype') throw new Error('declared');
    },
    onopentag: (name, attributes) => {
      if (stack.length === 0 && name !== shape.root) throw new Error('another root');
      if (stack.length >= DEPTH_MAX || isWhole) throw new Error('too deep, or behind its end');
      stack.push(name);
      if (row === null) {
        if (!shape.rows.includes(name)) return;
        const own = { path: '', group: '', within: null, name, attributes, text: '' };
        row = { name, depth: stack.length, leaves: [own], open: [own] };
        return;
      }
      const path = stack.slice(row.depth).join('/');
      const [group, within] = [String(row.leaves.length), row.open.at(-1).group];
      const leaf = { path, group, within, name, attributes, text: '' };
      row.leaves.push(leaf);
      row.open.push(leaf);
    },
    ontext: (piece) => {
      if (row !== null) row.open.at(-1).text += piece;
      else if (shape.count === stack.join('/')) counted = (counted ?? '') + piece;
      else if (shape.dated === stack.join('/')) dated += piece;
    },
    onclosetag: (name, isImplied) => {
      // The parser reports the end of <a/> as implied, too.
      const isSelfClosed = isImplied && text[parser.endIndex - 1] === '/';
      if ((isImplied && !isSelfClosed) || stack.pop() !== name) throw new Error('not closed');
      if (stack.length === 0) isWhole = true;
      if (row === null) return;
      row.open.pop();
      if (row.open.length > 0) return;
      parties.push(partyOf(shape, row.name, row.leaves));
      row = null;
      if (parties.length > partiesMax) throw new Error('too many');
    },
  }, { xmlMode: true, decodeEntities: true });
  parser.write(text);
  parser.end();
  const isCounted = shape.count === undefined || Number(counted) === parties.length;
  const isDated = shape.dated === undefined || dated.trim() !== '';
  if (!isWhole || !isCounted || !isDated || parties.length === 0) throw new Error('not whole');
  const pieces = [];
  for (let at = 0; at < parties.length; at += pieceParties) {
    pieces.push(JSON.stringify(parties.slice(at, at + pieceParties)));
  }
  parentPort.postMessage(pieces);
})().catch(() => parentPort.postMessage(null));
`;
