// A report is written every morning, once for each date, also for dates that passed before.
//   node cron.mjs
import { durable } from '@stoa/runtime';
import { fromPromise, setup } from 'xstate';

const machine = setup({
  types: {} as { context: { team: string }; input: { team: string } },
  actors: { write: fromPromise<string, string>(async ({ input }) => `report of ${input}`) },
}).createMachine({
  context: ({ input }) => input,
  initial: 'writing',
  states: {
    writing: {
      invoke: { src: 'write', input: ({ context }) => context.team, onDone: 'written' },
    },
    written: { type: 'final' },
  },
});

const app = await durable({ path: './data/cron', actors: { report: machine } });
// [guide cron
// A repeat changes the schedule of this name. The actors are `<name>@<date>`.
await app.report.schedule('morning', {
  cron: '0 7 * * 1-5',
  timezone: 'Europe/Vienna',
  input: { team: 'sales' },
  overlap: 'skip',
});
const from = Date.UTC(2026, 0, 5);
const ids = await app.engine.backfillSchedule('morning', { from, to: from + 7 * 86_400_000 });
// guide]
await Promise.all(ids.map((id) => app.report.get(id).result()));
process.stdout.write(`${ids.length} reports, the first is ${ids[0] ?? 'missing'}\n`);
await app.engine.unschedule('morning');
await app.close();
