import { expect } from 'vitest';
import { keyValueTest } from '../../support/hosting/key-value-rig.ts';
import { localWorld } from '../../support/hosting/local-world.ts';
import { askOnce } from '../../support/resp-client.ts';
import { databaseClaims } from './databases.ts';
import { keyValueOrder } from './world.ts';

const OF_POSTGRES = /a Postgres is|no statement/;
const CLAIMS = Object.entries(databaseClaims).filter(([claim]) => !OF_POSTGRES.test(claim));
const LONGEST_MS = 300_000;

keyValueTest.each(CLAIMS)('local Key Value: %s', { timeout: LONGEST_MS }, async (_what, run) => {
  const world = await localWorld();
  try {
    await run({ ...world, provider: world.provider, databases: ['key_value'] });
  } finally {
    await world.close();
  }
});

keyValueTest(
  'an instance goes on while the daemon ends and starts anew, and one that was killed comes back',
  { timeout: LONGEST_MS },
  async () => {
    const world = await localWorld();
    try {
      const order = keyValueOrder(world, { persistenceMode: 'journal_snapshot' });
      const { id } = await world.provider.keyValue.create(order);
      const isUp = async () => (await world.provider.keyValue.get(id)).status === 'available';
      await world.until(isUp, 'the instance');
      const { internal } = await world.provider.keyValue.connection(id);
      expect(await askOnce(internal, 'SET', 'k', 'v')).toBe('OK');
      const before = await processOf(internal);

      await world.reopen();
      expect(await processOf(internal)).toBe(before);
      await world.until(isUp, 'the instance that was taken up');
      expect((await world.provider.keyValue.connection(id)).internal).toBe(internal);

      process.kill(before, 'SIGKILL');
      await world.until(async () => !(await isUp()), 'the end to be seen');
      expect((await world.provider.keyValue.get(id)).reason).toBe('signal 9 killed it');
      await world.until(isUp, 'the instance to come back');
      expect(await processOf(internal)).not.toBe(before);

      const comeBack = await processOf(internal);
      await world.provider.keyValue.setAllowList(id, []);
      expect(await processOf(internal)).toBe(comeBack);
      const { external } = await world.provider.keyValue.connection(id);
      await expect(askOnce(external, 'PING')).rejects.toThrow('WRONGPASS');
      expect(await askOnce(internal, 'PING')).toBe('PONG');

      await world.provider.keyValue.remove(id);
      const isGone = () => askOnce(internal, 'PING').then(() => false, isRefused);
      await world.until(isGone, 'the end of what was removed');
    } finally {
      await world.close();
    }
  },
);

/** The server's process, as it says itself. */
async function processOf(address: string): Promise<number> {
  const info = String(await askOnce(address, 'INFO', 'server'));
  return Number(/^process_id:(\d+)/m.exec(info)?.[1]);
}

function isRefused(fault: Error): boolean {
  return fault.message.includes('ECONNREFUSED');
}
