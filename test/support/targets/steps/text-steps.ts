import type { RunningTarget, Values } from '../target.ts';
import { callWeakSpot, type Steps, showsWith } from './step.ts';
import { begin, textsOf } from './wire.ts';

/** Faults that stand in the texts of a target. */
export const textSteps: Steps = {
  'poisoned-description': listsMarker,
  'hidden-characters': listsMarker,
  shadowing: listsMarker,
  'exfiltration-fields': listsMarker,
  'over-reach': listsMarker,
  'injected-results': showsWith('tickets'),
  'deceptive-results': showsWith('I-77'),
  'lookalike-names': async (running) => {
    const names = (await (await begin(running)).list()).map((tool) => tool['name']);
    return names.includes(running.weakSpot.marker);
  },
  'unannotated-acting': async (running) => {
    const session = await begin(running);
    const { tool, argumentsWith, reader } = running.weakSpot;
    const acted = await session.call(tool, argumentsWith('A-17'));
    const after = await session.call(reader?.tool ?? '', {});
    const hasActed = !acted.isError && after.text.includes('A-17');
    const hints = (await session.list()).find((one) => one['name'] === tool)?.['annotations'];
    return hasActed && (hints as Values | undefined)?.['destructiveHint'] !== true;
  },
  'over-broad': async (running) => {
    const free = await callWeakSpot(running, 'drop everything of everybody');
    return !free.isError && free.text.includes(running.weakSpot.marker);
  },
  'rug-pull': async (running) => {
    const first = await (await begin(running)).list();
    const second = await (await begin(running)).list();
    return canonical(first) !== canonical(second);
  },
  'late-change': async (running) => {
    const session = await begin(running);
    const before = await session.list();
    const { tool, argumentsWith } = running.weakSpot;
    for (let count = 0; count < 3; count += 1) await session.call(tool, argumentsWith('B'));
    const after = await session.list();
    return canonical(before) !== canonical(after) && holds(after, running.weakSpot.marker);
  },
};

async function listsMarker(running: RunningTarget): Promise<boolean> {
  const session = await begin(running);
  return holds([session.greeting, await session.list()], running.weakSpot.marker);
}

function holds(value: unknown, marker: string): boolean {
  return textsOf(value).some((text) => text.includes(marker));
}

// The same for the same content, in whatever order it comes.
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
