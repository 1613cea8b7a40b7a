import { beforeAll, expect, test } from 'vitest';
import { readTranscript } from '../../../src/actors/panel/panel-state.ts';
import { canonicalJson } from '../../../src/domain/common/json.ts';
import { recomputeRoot, type Transcript } from '../../../src/domain/panel/transcript.ts';
import {
  isTranscriptFile,
  verifyTranscript,
} from '../../../src/domain/verification/panel-transcript.ts';
import { goodFacts, startCouncil } from '../../support/council.ts';
import { panelWorld } from '../../support/panel-world.ts';
import { readPanel } from '../../support/read-panel.ts';
import { type ScriptedCall, scriptedLlm } from '../../support/scripted-llm.ts';

const whole: Record<'debate' | 'council', { transcript: Transcript; root: string }> = {} as never;

function say({ phase, modelId }: ScriptedCall) {
  const choice = modelId.includes('gpt') ? 'o2' : 'o1';
  return phase === 'vote' ? { ranking: [choice] } : { position: choice };
}

beforeAll(async () => {
  const debates = await panelWorld(scriptedLlm({ say }));
  const councils = await panelWorld(scriptedLlm({ families: [], say }));
  const facts = { ...goodFacts(), security: { ...goodFacts().security, mfa: false } };
  const started = {
    debate: { world: debates, jobId: await debates.start() },
    council: { world: councils, jobId: await startCouncil(councils, { facts }) },
  };
  for (const kind of ['debate', 'council'] as const) {
    const { world, jobId } = started[kind];
    await world.finish(jobId);
    const transcript = await readTranscript(world.deps(), jobId);
    const { result } = await readPanel(world.deps(), jobId);
    whole[kind] = { transcript, root: result?.transcript_root ?? '' };
  }
});

/** A copy with a change, under the root that fits the change. */
function forged(kind: 'debate' | 'council', change: (copy: Transcript) => void): Transcript {
  const copy = structuredClone(whole[kind].transcript);
  change(copy);
  return { ...copy, root: recomputeRoot(copy) };
}

test.each(['debate', 'council'] as const)(
  'a transcript of a %s holds, and gives its winner',
  (kind) => {
    const { transcript, root } = whole[kind];
    expect(isTranscriptFile(transcript)).toBe(true);
    const winner = { debate: 'o1', council: 'approve_with_conditions' }[kind];
    expect(verifyTranscript(transcript)).toMatchObject({
      isValid: true,
      kind,
      root,
      winner,
      rule: 'majority',
      cast: 5,
    });
  },
);

test('a changed byte of any turn, ballot or note changes the root', () => {
  const { transcript } = whole.council;
  const copies = [
    { ...transcript, turns: transcript.turns.map((turn) => ({ ...turn, confidence: 0.123 })) },
    { ...transcript, ballots: transcript.ballots.slice(1) },
    { ...transcript, notes: { ...transcript.notes, red_lines: { raised: [], refused: [] } } },
  ];
  for (const copy of copies) {
    expect(canonicalJson(copy)).not.toBe(canonicalJson(transcript));
    expect(verifyTranscript(copy)).toEqual({
      isValid: false,
      reason: 'the root does not match the turns and ballots',
    });
  }
});

test.each([
  [
    'an argument in other words',
    (copy: Transcript) => {
      Object.assign(copy.turns[0] ?? {}, { argument: 'other words' });
    },
    'does not match its hash',
  ],
  [
    'a ballot that nobody cast',
    (copy: Transcript) => {
      Object.assign(copy.ballots[0] ?? {}, { ranking: ['o3'] });
    },
    'the ballots do not follow from the votes',
  ],
  [
    'another winner',
    (copy: Transcript) => {
      copy.decision = { winner: 'o2', rule: 'majority', forced: false };
    },
    'the ballots give o1, not o2',
  ],
  [
    'another kind',
    (copy: Transcript) => {
      copy.kind = 'oracle';
    },
    'unknown kind of panel',
  ],
  [
    'a transcript that goes on',
    (copy: Transcript) => {
      copy.is_final = false;
    },
    'it is not final',
  ],
])('%s under a fitting root is found', (_name, change, reason) => {
  const verdict = verifyTranscript(forged('debate', change));
  expect(verdict).toMatchObject({ isValid: false, reason: expect.stringContaining(reason) });
});

test('a red line that was struck out under a fitting root is found', () => {
  const struck = forged('council', (copy) => {
    copy.notes = { ...copy.notes, red_lines: { raised: [], refused: [] } };
    copy.decision = { winner: 'approve', rule: 'majority', forced: false };
  });
  expect(verifyTranscript(struck)).toEqual({
    isValid: false,
    reason: 'the note of red_lines does not follow from brief and turns',
  });
});

test.each([null, 5, {}, { format: 'stoa.panel/1' }])('%j is no transcript', (value) => {
  expect(verifyTranscript(value)).toMatchObject({ isValid: false });
});
