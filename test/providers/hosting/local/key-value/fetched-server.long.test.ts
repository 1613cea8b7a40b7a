import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { downloadServer } from '../../../../../src/providers/hosting/local/key-value/packages.ts';
import { findServer } from '../../../../../src/providers/hosting/local/key-value/program.ts';
import { openSandbox } from '../../../../../src/providers/hosting/local/sandbox.ts';
import { keyValueOf, keyValueRig } from '../../../../support/hosting/key-value-rig.ts';
import { askOnce } from '../../../../support/resp-client.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

/** Packages come over the network. */
const FETCH_MS = 600_000;

test(
  'a server of Debian’s packages is unpacked, and serves tenants',
  async () => {
    const dir = tempDir();
    const fetched = join(dir.path, 'programs', 'key-value');
    const sandbox = { level: openSandbox(process.env).level, path: '/nowhere' };
    const find = () => findServer(sandbox, fetched, []);
    const rig = keyValueRig({ find });
    const database = keyValueOf();
    try {
      expect(await find()).toMatchObject({ why: expect.stringContaining('stoa doctor --fix') });
      expect(await downloadServer(fetched)).toMatch(/^(valkey|redis)-server$/);
      // Once more, over what is there.
      await downloadServer(fetched);
      expect(readdirSync(join(dir.path, 'programs'))).toEqual(['key-value']);
      expect(await find()).toMatchObject({ server: { home: fetched } });
      await rig.up(database);
      const { internal } = rig.host.connectionAddresses(database);
      expect(await askOnce(internal, 'SET', 'k', 'v')).toBe('OK');
    } finally {
      await rig.close();
      dir.remove();
    }
  },
  FETCH_MS,
);
