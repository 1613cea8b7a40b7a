import { join } from 'node:path';
import { getDownloadFolder } from '../../../src/providers/hosting/local/key-value/program.ts';

/** Where the set-up of the tests unpacks a server of Key Value, on machines without one. */
export const FETCHED_SERVER = getDownloadFolder(
  join(import.meta.dirname, '..', '..', '..', '.cache'),
);
