import type { Steps } from './step.ts';
import { begin } from './wire.ts';

const ENTRIES = 20;
const CANCEL_AFTER_MS = 60;
const POLL_MS = 50;
const POLLS_MAX = 100;

/** Faults that show in what a target does between calls. */
export const conductSteps: Steps = {
  'cross-session-memory': async (running) => {
    const { tool, argumentsWith, reader } = running.weakSpot;
    const writer = await begin(running);
    await writer.call(tool, argumentsWith('the door code is 4711'));
    const own = await writer.call(reader?.tool ?? '', reader?.arguments ?? {});
    if (!own.text.includes('4711')) throw new Error('the memory does not keep its own notes');
    const foreign = await (await begin(running)).call(reader?.tool ?? '', reader?.arguments ?? {});
    return foreign.text.includes('4711');
  },
  'foreign-records': async (running) => {
    const { tool, argumentsWith, reader, marker } = running.weakSpot;
    const owner = await begin(running);
    const made = await owner.call(reader?.tool ?? '', reader?.arguments ?? {});
    const id = /Record (\S+) is kept/.exec(made.text)?.[1] ?? '';
    const own = await owner.call(tool, argumentsWith(id));
    if (!own.text.includes(marker)) throw new Error('the record is not given to its own session');
    return (await (await begin(running)).call(tool, argumentsWith(id))).text.includes(marker);
  },
  'misleading-hints': async (running) => {
    const { tool, argumentsWith, reader, marker } = running.weakSpot;
    const session = await begin(running);
    await session.call(tool, argumentsWith('folder-1'));
    return (await session.call(reader?.tool ?? '', {})).text.includes(marker);
  },
  'cancellation-ignored': async (running) => {
    const { tool, argumentsWith, reader, marker } = running.weakSpot;
    const session = await begin(running);
    const params = { name: tool, arguments: argumentsWith(ENTRIES) };
    const asked = session.ask('tools/call', params, 77).catch(() => undefined);
    await wait(CANCEL_AFTER_MS);
    await session.notify('notifications/cancelled', { requestId: 77, reason: 'changed my mind' });
    let seen = '';
    for (let poll = 0; poll < POLLS_MAX && !/cancelled|finished/.test(seen); poll += 1) {
      await wait(POLL_MS);
      seen = (await session.call(reader?.tool ?? '', {})).text;
    }
    await Promise.race([asked, wait(POLL_MS)]);
    return seen.includes(marker);
  },
};

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
