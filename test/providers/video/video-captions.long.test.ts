import { describe, expect, test } from 'vitest';
import type { SourceReading } from '../../../src/domain/data/upstreams.ts';
import { parseCues } from '../../../src/domain/video/cues.ts';
import type { VideoCaptions } from '../../../src/domain/video/video-captions.ts';
import { createYoutubeCaptions } from '../../../src/providers/video/video-captions.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import {
  CAPTIONED,
  captionsPath,
  HEARD,
  json3,
  madeCaptions,
  playerOf,
  playerPath,
} from '../../support/upstreams/made-captions.ts';
import { readingRig } from '../../support/upstreams/reading-rig.ts';

const soon = () => ({ deadline: Date.now() + 60_000 });
const TRACK = captionsPath(CAPTIONED, 'en-GB');

async function rigAndReader(fault?: UpstreamFault) {
  const rig = await readingRig(madeCaptions);
  return { ...rig, captions: createYoutubeCaptions(rig.reader(fault)) };
}

function codeIn(reading: SourceReading<VideoCaptions>) {
  return reading.ok ? 'answered' : reading.fault.code;
}

test('captions that people wrote come before those of a recognition, and English before others', async () => {
  const { captions, server } = await rigAndReader();
  const reading = await captions.captions(CAPTIONED, soon());
  expect(reading).toMatchObject({ ok: true, value: { language: 'en-GB', isAutomatic: false } });
  const text = reading.ok ? reading.value.text : '';
  expect(parseCues(text, 'json3')[1]).toEqual({
    startMs: 125_000,
    endMs: 129_000,
    text: 'The new cranes lift ninety tonnes each, twice the old ones.',
  });
  expect(server.hits).toEqual([`youtube ${playerPath(CAPTIONED)}`, `youtube ${TRACK}`]);
  const heard = await captions.captions(HEARD, soon());
  expect(heard).toMatchObject({ ok: true, value: { language: 'fr', isAutomatic: true } });
});

test('the language that is asked for is taken, and where it is missing the others are named', async () => {
  const { captions } = await rigAndReader();
  const german = await captions.captions(CAPTIONED, { ...soon(), language: 'de' });
  expect(german).toMatchObject({ ok: true, value: { language: 'de' } });
  const polish = await captions.captions(CAPTIONED, { ...soon(), language: 'pl' });
  expect(polish).toMatchObject({ fault: { code: 'not_found', retryable: false } });
  expect(polish.ok ? '' : polish.fault.detail).toContain('has captions in de, en, en-GB, not');
});

test('the source names the captions and not who asked: no signature is in its address', async () => {
  const { captions } = await rigAndReader();
  const reading = await captions.captions(CAPTIONED, soon());
  const url = reading.ok ? reading.source.url : '';
  expect(url).toMatch(/\/api\/timedtext\?v=dQw4w9WgXcQ&lang=en-GB&fmt=json3$/);
});

const NO_BOT = 'Sign in to confirm you’re not a bot';
const ADULT = 'This video may be inappropriate for some users.';
const ABROAD = 'The uploader has not made this video available in your country';
const MEMBERS = 'Join this channel to get access to members-only content';

describe('what YouTube refuses has a code of its own', () => {
  test.each([
    ['a bot', { status: 'LOGIN_REQUIRED', reason: NO_BOT }, 'blocked_by_upstream'],
    ['a grown-up', { status: 'LOGIN_REQUIRED', reason: ADULT }, 'upstream_unauthorized'],
    [
      'an age, in another language',
      { status: 'LOGIN_REQUIRED', reason: '?', desktopLegacyAgeGateReason: 1 },
      'upstream_unauthorized',
    ],
    ['an age to confirm', { status: 'AGE_CHECK_REQUIRED' }, 'upstream_unauthorized'],
    [
      'a friend',
      { status: 'LOGIN_REQUIRED', reason: 'This is a private video.' },
      'upstream_unauthorized',
    ],
    ['a member', { status: 'UNPLAYABLE', reason: MEMBERS }, 'upstream_unauthorized'],
    ['another country', { status: 'UNPLAYABLE', reason: ABROAD }, 'geo_blocked'],
    [
      'nobody: unavailable',
      { status: 'ERROR', reason: 'This video is unavailable' },
      'upstream_gone',
    ],
    ['nobody yet', { status: 'LIVE_STREAM_OFFLINE' }, 'not_found'],
    ['a state of the future', { status: 'MOON' }, 'upstream_bad_payload'],
  ])('a video for %s', async (_, playability, code) => {
    const { captions, server } = await rigAndReader();
    const said = playerOf(CAPTIONED, [{ lang: 'en' }], playability);
    server.answer('youtube', playerPath(CAPTIONED), said);
    const reading = await captions.captions(CAPTIONED, soon());
    expect(codeIn(reading)).toBe(code);
    const detail = reading.ok ? '' : reading.fault.detail;
    // Words of the platform are not passed on.
    expect(detail).toContain(`Video ${CAPTIONED}: `);
    for (const words of [NO_BOT, ADULT, ABROAD, MEMBERS]) expect(detail).not.toContain(words);
  });

  test.each<[string, unknown, number, string]>([
    ['no captions', playerOf(CAPTIONED, []), 200, 'not_found'],
    ['another video', playerOf(HEARD, [{ lang: 'en' }]), 200, 'blocked_by_upstream'],
    [
      'a proof of origin',
      playerOf(CAPTIONED, [{ lang: 'en', more: '&exp=xpe' }]),
      200,
      'blocked_by_upstream',
    ],
    ['a newer client', { error: { code: 400 } }, 400, 'blocked_by_upstream'],
    [
      'cookies first',
      '<form action="https://consent.youtube.com/save">',
      200,
      'blocked_by_upstream',
    ],
    ['nothing that is known', { playabilityStatus: 7 }, 200, 'upstream_bad_payload'],
  ])('an answer with %s', async (_, body, status, code) => {
    const { captions, server } = await rigAndReader();
    server.answer('youtube', playerPath(CAPTIONED), body, status);
    expect(codeIn(await captions.captions(CAPTIONED, soon()))).toBe(code);
    expect(server.hits.filter((hit) => hit.includes('timedtext'))).toEqual([]);
  });

  test.each<[string, unknown, number, string]>([
    ['no body, which is how a proof of origin is asked for', '', 200, 'blocked_by_upstream'],
    ['no words', json3({}), 200, 'not_found'],
    ['nothing there', '', 404, 'not_found'],
    ['another format', '<transcript/>', 200, 'upstream_bad_payload'],
    ['a page of consent', 'consent.youtube.com', 200, 'blocked_by_upstream'],
  ])('captions with %s', async (_, body, status, code) => {
    const { captions, server } = await rigAndReader();
    server.answer('youtube', TRACK, body, status);
    expect(codeIn(await captions.captions(CAPTIONED, soon()))).toBe(code);
  });
});

test.each([
  { status: 'LOGIN_REQUIRED', reason: ADULT },
  { status: 'LOGIN_REQUIRED', reason: '?', desktopLegacyAgeGateReason: 1 },
  { status: 'AGE_VERIFICATION_REQUIRED' },
])('an age is told as one: %j', async (playability) => {
  const { captions, server } = await rigAndReader();
  server.answer('youtube', playerPath(CAPTIONED), playerOf(CAPTIONED, [], playability));
  const reading = await captions.captions(CAPTIONED, soon());
  expect(reading.ok ? '' : reading.fault.detail).toContain('restricted by age');
});

test.each([
  'http://169.254.169.254/api/timedtext?v=x',
  'https://www.youtube.com.evil.example/api/timedtext?v=x',
  'https://user@evil.example/api/timedtext',
  'http://www.youtube.com/api/timedtext?v=x',
  'https://www.youtube.com/../oembed?url=x',
  '//evil.example/api/timedtext',
  'file:///etc/passwd',
  'javascript:1',
  'https://[',
])('captions that are said to be at %s are asked for nowhere', async (baseUrl) => {
  const { captions, server } = await rigAndReader();
  const said = playerOf(CAPTIONED, []);
  said.captions.playerCaptionsTracklistRenderer.captionTracks.push({
    baseUrl,
    languageCode: 'en',
    isTranslatable: true,
    name: { runs: [] },
  });
  server.answer('youtube', playerPath(CAPTIONED), said);
  expect(codeIn(await captions.captions(CAPTIONED, soon()))).toBe('upstream_bad_payload');
  expect(server.hits.filter((hit) => !hit.includes('/player?'))).toEqual([]);
});

const AT_PLAYER: Readonly<Record<UpstreamFault, readonly [string, boolean] | null>> = {
  ...FAULT_ANSWERS,
  // A posted question follows no redirect, wherever it leads.
  redirect_to_private: ['too_many_redirects', false],
  // Captions bear no time.
  stale: null,
  skewed_clock: null,
};

function outcome(reading: SourceReading<VideoCaptions>) {
  return reading.ok ? null : [reading.fault.code, reading.fault.retryable];
}

test.each(FAULTS)(
  'an interface with the fault %s: its code and retry',
  {
    timeout: 60_000,
  },
  async (fault) => {
    const { captions, server } = await rigAndReader(fault);
    server.dial('youtube', fault);
    expect(outcome(await captions.captions(CAPTIONED, soon()))).toEqual(AT_PLAYER[fault]);
  },
);

test.each(FAULTS)(
  'captions with the fault %s: its code and retry',
  {
    timeout: 60_000,
  },
  async (fault) => {
    const { captions, server } = await rigAndReader(fault);
    // Where the captions are is kept; they themselves are asked for anew.
    server.answer('youtube', TRACK, '', 404);
    expect(codeIn(await captions.captions(CAPTIONED, soon()))).toBe('not_found');
    server.answer('youtube', TRACK, json3({ 5: 'cranes lift' }));
    server.dial('youtube', fault);
    const before = server.hits.length;
    const expected = fault === 'redirect_to_private' ? ['ssrf_blocked', false] : AT_PLAYER[fault];
    expect(outcome(await captions.captions(CAPTIONED, soon()))).toEqual(expected);
    expect(server.hits.slice(before).every((hit) => hit.includes('timedtext'))).toBe(true);
  },
);
