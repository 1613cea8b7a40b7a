import type { Usage } from '../common/usage.ts';
import { JSON_LINE } from './shared.ts';

const FOLDER = { about: 'Folder that contains data.mdb, of any program' };
const PLACE = { about: 'Folder of the store, or the link of an open inspector in quotes' };
const MODULE = {
  value: 'file',
  about: 'Module that exports the actors of the program as actors or default; for a folder',
};

/** What the commands for stores of any program take. */
export const STORE = {
  store: {
    group: 'Develop',
    about: 'Read, change, check or salvage the store of any program.',
    examples: ['stoa store list ./data', 'stoa help store tell'],
  },
  storeList: {
    about: 'List the actors or the dead letters of a store. Reads only, also while it is open.',
    args: { folder: FOLDER },
    flags: {
      kind: { value: 'kind', about: 'Only actors of this kind' },
      state: { value: 'state', about: 'Only actors in this state, such as open or paid.checking' },
      status: {
        value: 'status',
        allowed: ['active', 'done', 'error', 'stopped', 'stuck'],
        about: 'Only actors with this status',
      },
      prefix: { value: 'text', about: 'Only ids that start with this text' },
      'dead-letters': { about: 'List dead letters instead of actors' },
      limit: { value: 'number', default: '100', about: 'Maximum number of lines' },
      json: JSON_LINE,
    },
    examples: ['stoa store list ./data --kind order', 'stoa store list ./data --dead-letters'],
  },
  storeShow: {
    about: 'Show an actor with its journal, now or after a row. Reads only, also while it is open.',
    args: { folder: FOLDER, id: { about: 'Id of the actor' } },
    flags: {
      at: { value: 'row', about: 'The row to show; the last one if omitted' },
      rows: { value: 'number', default: '20', about: 'Maximum number of rows of the journal' },
      json: JSON_LINE,
    },
    examples: ['stoa store show ./data order/1', 'stoa store show ./data order/1 --at 3 --json'],
  },
  storeExport: {
    about: 'Write journals as JSON lines, which rehearse can replay. Reads only.',
    args: {
      folder: FOLDER,
      ids: { isOptional: true, isMultiple: true, about: 'Ids of actors; all if omitted' },
    },
    examples: ['stoa store export ./data order/1 > order-1.jsonl'],
  },
  storeTell: {
    about: 'Send an event to an actor. Its effects run when the program runs next.',
    args: { place: PLACE, id: { about: 'Id of the actor' }, type: { about: 'Type of the event' } },
    flags: {
      data: { value: 'json', default: '{}', about: 'Other members of the event, as JSON' },
      key: { value: 'text', about: 'Idempotency key; a repeat with it has no effect' },
      module: MODULE,
      json: JSON_LINE,
    },
    examples: [
      'stoa store tell ./data order/1 CANCEL --module ./actors.mjs',
      `stoa store tell "http://127.0.0.1:4000/console/#enter=…" order/1 PAY --data '{"amount":5}'`,
    ],
  },
  storeFork: {
    about: 'Copy an actor as of a row under a new id, with its timers and without its effects.',
    args: { place: PLACE, id: { about: 'Id of the actor' } },
    flags: {
      at: { value: 'row', about: 'The row; the last one if omitted' },
      module: MODULE,
      json: JSON_LINE,
    },
    examples: ['stoa store fork ./data order/1 --at 2 --module ./actors.mjs'],
  },
  storeRetry: {
    about: 'Deliver a dead letter again.',
    args: { place: PLACE, letter: { about: 'Id of the dead letter' } },
    flags: { module: MODULE, json: JSON_LINE },
    examples: ['stoa store retry ./data lamp:4 --module ./actors.mjs'],
  },
  storeCheck: {
    about:
      'List the damage of a store, and what can be recovered. Only reads; stop its program. ' +
      'The exit code is 1 if something is damaged.',
    args: { folder: FOLDER },
    flags: { json: JSON_LINE },
    examples: ['stoa store check ./data', 'stoa store check ./data/store/actors --json'],
  },
  storeSalvage: {
    about:
      'Write every actor that can be read to a new store, each up to its last readable row. ' +
      'The exit code is 1 if something is lost.',
    args: { folder: FOLDER, target: { about: 'Folder of the new store' } },
    flags: { json: JSON_LINE },
    examples: ['stoa store salvage ./data ./recovered'],
  },
} as const satisfies Readonly<Record<string, Usage>>;
