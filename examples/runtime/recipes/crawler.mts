// Pages are fetched at most four at once, one at once per host, and twenty a second in all.
//   node crawler.mjs http://127.0.0.1:8080/a http://127.0.0.1:8080/b
import { durable } from '@stoa/runtime';
import { assign, fromPromise, setup } from 'xstate';

const PAGE_BYTES_MAX = 100_000;
const machine = setup({
  types: {} as { context: { url: string; title: string }; input: { url: string }; output: string },
  actors: {
    read: fromPromise<string, string>(async ({ input, signal }) => {
      const answer = await fetch(input, { signal });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const page = (await answer.text()).slice(0, PAGE_BYTES_MAX);
      return /<title>([^<]*)/i.exec(page)?.[1] ?? '';
    }),
  },
}).createMachine({
  context: ({ input }) => ({ url: input.url, title: '' }),
  initial: 'reading',
  states: {
    reading: {
      invoke: {
        src: 'read',
        input: ({ context }) => context.url,
        onDone: { target: 'known', actions: assign({ title: ({ event }) => event.output }) },
        onError: 'unreachable',
      },
    },
    known: { type: 'final' },
    unreachable: { type: 'final' },
  },
  output: ({ context }) => context.title,
});

// [guide crawler
const app = await durable({
  path: './data/crawler',
  actors: { page: machine },
  queues: [
    {
      name: 'crawl',
      concurrency: 4,
      rate: { max: 20, perMs: 1_000 },
      perKey: { concurrency: 1 },
    },
  ],
});
const urls = process.argv.slice(2);
// The id is the address, so each page is fetched once, however often it is found.
for (const url of urls) {
  await app.page.enqueue('crawl', url, { url }, { key: new URL(url).host });
}
// guide]
for (const url of urls) {
  await app.engine.waitFor(url, ({ status }) => status === 'done', {
    timeoutMs: 60_000,
    untilCreated: true,
  });
  process.stdout.write(`${await app.page.get(url).result()}\n`);
}
await app.close();
