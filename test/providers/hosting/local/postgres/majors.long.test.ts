import { expect, test } from 'vitest';
import { MAJORS } from '../../../../../src/providers/hosting/local/postgres/releases.ts';
import { attackedPostgres, passedOf } from '../../../../support/hosting/attacked-postgres.ts';
import { logOf } from '../../../../support/hosting/owner.ts';
import { SQL_ATTACKS } from '../../../../support/hosting/sql-attacks.ts';

test.each(MAJORS)(
  'Postgres %s is fetched, run and read, and refuses every attack',
  {
    timeout: 900_000,
  },
  async (major) => {
    const attacked = await attackedPostgres(Number(major));
    try {
      const { rows } = await attacked.query('show server_version_num');
      expect(String(rows[0]?.[0]).slice(0, 2)).toBe(major);
      expect(await passedOf(attacked, Object.values(SQL_ATTACKS).flat())).toEqual([]);
      expect(await attacked.state()).toEqual(attacked.begun);
      expect(logOf(attacked.world, attacked.id)).not.toMatch(/terminated by signal|PANIC/);
    } finally {
      await attacked.world.close();
    }
  },
);
