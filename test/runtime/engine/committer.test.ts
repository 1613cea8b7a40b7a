import { expect, test } from 'vitest';
import { Committer } from '../../../src/runtime/engine/committer.ts';
import type { EngineError } from '../../../src/runtime/engine/error.ts';
import type { EngineStore, Write } from '../../../src/runtime/engine/ports.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { deferred } from '../../support/deferred.ts';

const write: Write = { del: 'dead', deadLetterId: 'x' };

test('what comes in one turn is one commit, up to 32 events', async () => {
  const { committer, commits, say } = rig();
  for (let n = 0; n < 70; n += 1) committer.submit([write, write], say(String(n)));
  await Promise.resolve();
  expect(commits.map(({ writes }) => writes.length)).toEqual([64, 64, 12]);
  expect(committer.pending).toBe(70);
});

test('nobody hears of a later commit before an earlier one', async () => {
  const { committer, commits, said, say } = rig();
  for (const name of ['a', 'b', 'c']) {
    committer.submit([write], say(name));
    await Promise.resolve();
  }
  commits[1]?.resolve();
  await turn();
  expect(said).toEqual([]);
  commits[0]?.resolve();
  await turn();
  expect(said).toEqual(['a done', 'b done']);
  commits[2]?.resolve();
  await committer.idle();
  expect(said).toEqual(['a done', 'b done', 'c done']);
  expect(committer.pending).toBe(0);
});

test('after a failed commit nobody is told of a success, and it is said once', async () => {
  const { committer, commits, said, say, fatal } = rig();
  for (const name of ['a', 'b']) {
    committer.submit([write], say(name));
    await Promise.resolve();
  }
  committer.submit([write], say('open'));
  commits[0]?.reject(new Error('disk'));
  await turn();
  commits[1]?.resolve();
  committer.submit([write], say('late'));
  await turn();
  const lost = (name: string) => `${name} STORE_FAILED`;
  expect(said.toSorted()).toEqual(['a', 'b', 'late', 'open'].map(lost));
  expect(fatal).toMatchObject([{ code: 'STORE_FAILED', cause: { message: 'disk' } }]);
  expect(committer.pending).toBe(0);
  await committer.idle();
});

function rig() {
  const commits: (ReturnType<typeof deferred<void>> & { writes: readonly Write[] })[] = [];
  const store: EngineStore = Object.assign(Object.create(memoryStore()) as EngineStore, {
    lastGlobalSeq: () => 0,
    commit: (writes: readonly Write[]) => {
      const commit = { ...deferred<void>(), writes };
      commits.push(commit);
      return commit.promise;
    },
  });
  const fatal: EngineError[] = [];
  const said: string[] = [];
  const committer = new Committer(store, (error) => fatal.push(error));
  const say = (name: string) => ({
    done: () => said.push(`${name} done`),
    failed: ({ code }: EngineError) => said.push(`${name} ${code}`),
  });
  return { committer, commits, said, say, fatal };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
